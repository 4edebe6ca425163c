"""Cypher about the database itself: what marks it as ours, what an earlier release left, and what is others'.

Release 0.1 found its nodes by the public labels alone, and kept sessions and users of its own. What it wrote is told
from others' nodes by what only it wrote there. Each step of a migration handles $most nodes and returns how many, so
that it is run until there is nothing left; run again it changes nothing.
"""

from __future__ import annotations

LAYOUT = 2  # of the nodes; release 0.1's had no number

SEE_LAYOUT = "OPTIONAL MATCH (s:RgStore {name: 'memory'}) RETURN max(s.layout) AS layout"
LOCK = "MERGE (s:RgStore {name: 'memory'}) SET s.taken = true"
SET_LAYOUT = "MERGE (s:RgStore {name: 'memory'}) SET s.layout = $layout"
# Whether release 0.1 stored anything here that was not taken over yet.
OLD_STATES = """
MATCH (:Resource)-[:HAS_STATE]->(s:State) WHERE s.recorded_at IS NOT NULL AND NOT s:RgState RETURN s.id AS id LIMIT 1"""
OLD_NAMES = "MATCH (m:Name)-[:NAME_OF]->(n:Resource) WHERE NOT m:RgName RETURN m.name AS id LIMIT 1"
OLD_TOUCHES = """
MATCH (t:Touch) WHERE t.key STARTS WITH t.user AND t.key ENDS WITH t.id AND t.provenance IS NOT NULL
    AND t.served_from_memory IS NOT NULL AND NOT t:RgTouch RETURN t.key AS id LIMIT 1"""
TWICE = """
MATCH (n:Resource) WHERE n.node_id IS NOT NULL AND NOT n:RgResource
    AND (n.kind = 'repository' AND n.place = n.node_id OR n.number IS NOT NULL AND n.place STARTS WITH n.repository_id)
WITH n.node_id AS id, count(*) AS times WHERE times > 1 RETURN id, times LIMIT 3"""

MIGRATION = (
    """
MATCH (n:Resource) WHERE n.node_id IS NOT NULL AND NOT n:RgResource
    AND (n.kind = 'repository' AND n.place = n.node_id OR n.number IS NOT NULL AND n.place STARTS WITH n.repository_id)
WITH n LIMIT $most
SET n:RgResource, n.rg_id = n.node_id, n.rg_key = n.address, n.node_id = null, n.address = null RETURN count(*) AS n""",
    """
MATCH (:RgResource)-[:HAS_STATE]->(s:State) WHERE NOT s:RgState WITH DISTINCT s LIMIT $most
SET s:RgState RETURN count(*) AS n""",
    """
MATCH (c:Comment) WHERE c.id =~ '[0-9a-f]+' AND c.node_id IS NOT NULL AND c.created_at IS NOT NULL
    AND c.author IS NOT NULL AND NOT c:RgComment
WITH c LIMIT $most SET c:RgComment, c.rg_id = c.node_id, c.node_id = null RETURN count(*) AS n""",
    """
MATCH (m:Name)-[:NAME_OF]->(:RgResource) WITH DISTINCT m LIMIT $most
SET m:RgName REMOVE m:Name RETURN count(*) AS n""",
    """
MATCH (:RgResource)-[:AWAITS]->(w:Awaited) WITH DISTINCT w LIMIT $most
SET w:RgAwaited REMOVE w:Awaited RETURN count(*) AS n""",
    """
MATCH (m:Move) WHERE m.old IS NOT NULL AND m.new IS NOT NULL AND m.node_id IS NOT NULL WITH m LIMIT $most
SET m:RgMove REMOVE m:Move RETURN count(*) AS n""",
    """
MATCH (l:Listing) WHERE l.key IS NOT NULL AND l.question IS NOT NULL AND l.ordering IS NOT NULL AND NOT l:RgListing
WITH l LIMIT $most SET l:RgListing RETURN count(*) AS n""",
    """
MATCH (:RgListing)-[:HAS_SNAPSHOT]->(s:Snapshot) WITH DISTINCT s LIMIT $most
SET s:RgSnapshot REMOVE s:Snapshot RETURN count(*) AS n""",
    """
MATCH (l:Lease) WHERE l.taken AND l.name IS NOT NULL AND l.until IS NOT NULL AND size(keys(l)) = 4
WITH l LIMIT $most DELETE l RETURN count(*) AS n""",
    # Touches: those about what is not known to be public go; the machine that they come from has them still.
    """
MATCH (t:Touch) WHERE t.key STARTS WITH t.user AND t.key ENDS WITH t.id AND t.provenance IS NOT NULL
    AND t.served_from_memory IS NOT NULL AND NOT t:RgTouch
WITH t LIMIT $most
SET t:RgTouch, t.joined_call = null, t.joined_agent = null RETURN count(*) AS n""",
    """
MATCH (t:RgTouch) WHERE t.status <> 'resolved' OR t.address = ''
    OR (t.provenance = 'CACHE_READ' AND NOT t.served_from_memory)
WITH t LIMIT $most DETACH DELETE t RETURN count(*) AS n""",
    """
MATCH (t:RgTouch)-[old:IN_SESSION]->(s:Session) WHERE s.session_id IS NULL AND s.key IS NOT NULL
WITH t, old, s LIMIT $most MERGE (shared:Session {session_id: s.session}) ON CREATE SET shared:RgSession
MERGE (t)-[:IN_SESSION]->(shared) DELETE old RETURN count(*) AS n""",
    """
MATCH (s:Session) WHERE s.session_id IS NULL AND s.key IS NOT NULL AND s.session IS NOT NULL
WITH s LIMIT $most DETACH DELETE s RETURN count(*) AS n""",
    """
MATCH (u:User) WHERE u.taken OPTIONAL MATCH (u)-[edge]-() WITH u, count(edge) AS edges LIMIT $most
FOREACH (found IN CASE WHEN edges = 0 AND size(keys(u)) = 2 THEN [u] ELSE [] END | DELETE found)
FOREACH (found IN CASE WHEN edges = 0 AND size(keys(u)) = 2 THEN [] ELSE [u] END | SET found.taken = null)
RETURN count(*) AS n""",
    # It joined calls by tool_use_id alone, also another user's.
    """
MATCH (t:RgTouch)-[e:CAUSED_BY]->(c) WHERE t.caused IS NULL WITH t, e, c LIMIT $most
OPTIONAL MATCH (s:Session {session_id: t.session})-[:HAS_ACTION|HAS_AGENT*1..2]->(c)
WITH t, e, c, count(s) AS there
FOREACH (wrong IN CASE WHEN there = 0 AND coalesce(c.session_id, '') <> t.session THEN [e] ELSE [] END | DELETE wrong)
SET t.caused = true RETURN count(*) AS n""",
)


def foreign(label: str, own: str) -> str:
    """How many nodes others keep under a public label of ours."""
    return f"MATCH (n:{label}) WHERE NOT n:{own} RETURN count(n) AS n"


def doubles(label: str, name: str) -> str:
    """Values of a property that must be unique and that several nodes have."""
    return f"""
MATCH (n:{label}) WHERE n.{name} IS NOT NULL WITH n.{name} AS value, count(*) AS times WHERE times > 1
RETURN value, times LIMIT 5"""
