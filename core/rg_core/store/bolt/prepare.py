"""Getting a database ready: its schema is compared with what must be there, and release 0.1's nodes are taken over.

Any number of clients may do so at once, beside others at work: what is there already is left alone, every step may be
run again, and nothing is called ready before it was looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rg_core.store.bolt import cypher_schema as cypher
from rg_core.store.bolt import schema
from rg_core.store.bolt.connection import Connection, Run
from rg_core.store.protocol import StoreUnavailable

MOST = 2000  # nodes that one transaction takes over
FORBIDDEN = "Forbidden"  # in the code of an error: this user may not, or nobody may
RESCUE = "import your last export into an empty database (rg-memory import)"


def prepare(connection: Connection) -> None:
    """Make the schema, take over what release 0.1 left, and see that everything is there.

    Raises:
        StoreUnavailable: if something stands in the way; says what, and what to do.
    """
    layout = connection.layout() or 0
    if layout > cypher.LAYOUT:
        raise StoreUnavailable(f"memory at {connection.name} was written by a newer rg-memory; upgrade this one")
    server = schema.server(connection.agent())
    there = look(connection, server)
    told = _define(connection, server, there)
    there = look(connection, server)
    if there.missing:
        raise StoreUnavailable(_obstacle(connection, there, told))
    take_over(connection)
    if there.old:
        unique, indexed = schema.OURS_IN_01
        ours = [place for place in unique if there.unique.get(place) == f"rg_{place[0]}_{place[1]}"]
        connection.define(schema.statements(server, "drop unique", ours))
        ours = [place for place in indexed if there.indexed.get(place) == f"rg_{place[0]}_{place[1]}"]
        connection.define(schema.statements(server, "drop index", ours))
    connection.write(lambda run: run(cypher.SET_LAYOUT, layout=cypher.LAYOUT))


def is_ready(connection: Connection) -> bool:
    """Whether nothing is to be done."""
    if connection.layout() != cypher.LAYOUT:
        return False
    there = look(connection, schema.server(connection.agent()))
    return not (there.missing or there.slow)


def look(connection: Connection, server: str) -> schema.Schema:
    """The constraints and indexes of the database."""
    words = schema.SERVERS[server]
    return schema.found(connection.told(words["constraints"]), connection.told(words["indexes"]))


def is_old(run: Run) -> bool:
    """Whether there is something of release 0.1 that was not taken over."""
    return any(run(statement) for statement in (cypher.OLD_STATES, cypher.OLD_NAMES, cypher.OLD_TOUCHES))


def take_over(connection: Connection) -> None:
    """Have what release 0.1 stored found by our own labels; what is others' is told apart and left alone.

    Raises:
        StoreUnavailable: if there are two nodes of one thing: there is nothing to choose by.
    """
    if twice := connection.read(lambda run: run(cypher.TWICE), seconds=60):
        raise StoreUnavailable(
            f"memory at {connection.name} has {twice[0]['times']} nodes of {twice[0]['id']}, which an earlier release "
            f"let happen; {RESCUE}"
        )
    for step in cypher.MIGRATION:
        while connection.write(_step(step)):
            pass


def _step(statement: str) -> Callable[[Run], int]:
    def work(run: Run) -> int:
        run(cypher.LOCK)  # one at a time
        return int(run(statement, most=MOST)[0]["n"])

    return work


def _define(connection: Connection, server: str, there: schema.Schema) -> list[str]:
    """Make what is missing; the errors."""
    own = [place for place, name in there.in_the_way() if name == f"rg_{place[0]}_{place[1]}"]
    failed = connection.define(schema.statements(server, "drop index", own)) if own else []
    if there.missing:
        failed += connection.define(schema.statements(server, "unique", there.missing))
    if there.slow:
        failed += connection.define(schema.statements(server, "index", there.slow))
    return failed


def _obstacle(connection: Connection, there: schema.Schema, told: Sequence[str]) -> str:
    """Why constraints are missing."""
    place = f"memory at {connection.name} cannot be made ready"
    if in_the_way := there.in_the_way():
        (label, name), index = in_the_way[0]
        return (
            f"{place}: the index {index} on :{label}({name}) stands where a constraint must be; "
            f"remove it in the database: DROP INDEX {index}"
        )
    if doubled := doubles(connection, there.missing):
        return f"{place}: {doubled[0]}; {RESCUE}"
    if any(FORBIDDEN in error for error in told):
        return f"{place}: this user may not change its schema; have somebody who may run: rg-memory store init"
    label, name = there.missing[0]
    why = f" ({told[0]})" if told else ""
    return f"{place}: the constraint on :{label}({name}) is missing{why}; run rg-memory store init again"


def doubles(connection: Connection, places: Sequence[schema.Place]) -> list[str]:
    """What there is twice where a property must be unique and is not, one line each."""
    found = []
    for label, name in places:
        statement = cypher.doubles(label, name)
        rows = connection.read(lambda run, statement=statement: run(statement), seconds=60)  # type: ignore[misc]
        found += [f"{row['times']} nodes :{label} have {name} {row['value']}" for row in rows]
    return found


def foreign(run: Run) -> Mapping[str, int]:
    """How many nodes others keep under each of our public labels."""
    counted = {label: int(run(cypher.foreign(label, own))[0]["n"]) for label, own in schema.PUBLIC.items()}
    return {label: count for label, count in counted.items() if count}
