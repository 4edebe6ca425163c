"""Cypher of the index that recall searches on a server, and of the queue that fills it.

(:RgIndex) is one version of the index; the nodes of each version have a key that begins with its number, and labels of
its own where an index of the server's needs them, so that a new one is built beside the old one. (:RgChange) says that
something is to be looked at again: whoever writes leaves one for every version that there is, also for those of other
releases. An (:RgMemory) has its names (:RgCall) and its States (:RgVersion), and those have their rows of text
(:RgText), chunks (:RgVector) and what they speak of (:RgMention).

Texts are found by full-text and vector indexes, which each kind of server asks for in its own words: `FIND`.
"""

from __future__ import annotations

from collections.abc import Mapping

# -- by server; Memgraph's by its documentation (text search from 3.6 on), not run

FIND: Mapping[str, Mapping[str, str]] = {
    "neo4j": {  # the analyzer stems, knows no parts of camelCase, and takes each character of CJK for a word
        "field": "",
        "text": """
UNWIND $rows AS asked CALL db.index.fulltext.queryNodes($name, asked.words, {limit: $most}) YIELD node, score
WITH asked, node, score""",
        "vector": """
CALL db.index.vector.queryNodes($name, $most, $vector) YIELD node, score WITH node, 2 * score - 1 AS score""",
        "make text": """
CREATE FULLTEXT INDEX {name} IF NOT EXISTS FOR (n:{label}) ON EACH [n.title, n.body, n.comments, n.tags]
OPTIONS {{indexConfig: {{`fulltext.analyzer`: 'english'}}}}""",
        "make vector": """
CREATE VECTOR INDEX {name} IF NOT EXISTS FOR (n:{label}) ON (n.vector)
OPTIONS {{indexConfig: {{`vector.dimensions`: {size}, `vector.similarity_function`: 'cosine'}}}}""",
        "wait": "CALL db.awaitIndexes(60)",
    },
    "memgraph": {
        "field": "data.",
        "text": """
UNWIND $rows AS asked CALL text_search.search($name, asked.words, $most) YIELD node, score WITH asked, node, score""",
        "vector": """
CALL vector_search.search($name, $most, $vector) YIELD node, similarity WITH node, similarity AS score""",
        "make text": "CREATE TEXT INDEX {name} ON :{label}(title, body, comments, tags)",
        "make vector": """
CREATE VECTOR INDEX {name} ON :{label}(vector)
WITH CONFIG {{"dimension": {size}, "capacity": 1000000, "metric": "cos"}}""",
        "wait": "RETURN 1 AS ready",
    },
}

# -- the queue

CHANGED = """
UNWIND $ids AS id MATCH (i:RgIndex) MERGE (c:RgChange {key: i.name + ' ' + id})
SET c.index = i.name, c.subject = id, c.token = $token"""
CHANGED_BELOW = """
UNWIND $ids AS id MATCH (:RgResource {rg_id: id})-[:HAS_ISSUE|HAS_PULL_REQUEST]->(n:RgResource) MATCH (i:RgIndex)
MERGE (c:RgChange {key: i.name + ' ' + n.rg_id}) SET c.index = i.name, c.subject = n.rg_id, c.token = $token"""
CHANGES = """
MATCH (c:RgChange {index: $name}) RETURN c.subject AS subject, c.token AS token LIMIT $most"""
CHANGES_LEFT = "MATCH (c:RgChange {index: $name}) RETURN count(c) AS n"
# Locked first, read afterwards: who waits for a lock has read what was before.
LOCK_CHANGES = "UNWIND $rows AS row MATCH (c:RgChange {key: row.key}) SET c.taken = true"
TURNS = """
UNWIND $rows AS row MATCH (c:RgChange {key: row.key}) WHERE c.token = row.token RETURN c.subject AS subject"""
DROP_CHANGES = "UNWIND $rows AS row MATCH (c:RgChange {key: row.key}) DELETE c"
ENQUEUE = """
UNWIND $ids AS id MERGE (c:RgChange {key: $prefix + id})
ON CREATE SET c.index = $name, c.subject = id, c.token = $token"""
FORGET_CHANGES = "UNWIND $ids AS id MATCH (c:RgChange {subject: id}) DELETE c"

# -- versions of the index

SEE_INDEX = """
MATCH (i:RgIndex {name: $name})
RETURN i.model AS model, i.at AS at, i.born AS born, i.settled AS settled, i.vectors AS vectors"""
ADD_INDEX = """
MERGE (i:RgIndex {name: $name}) ON CREATE SET i.born = $born, i.vectors = $vectors, i.at = '', i.model = ''"""
SET_MODEL = "MATCH (i:RgIndex {name: $name}) SET i.model = $model"
SET_AT = "MATCH (i:RgIndex {name: $name}) SET i.at = $at, i.settled = $settled"
TAKE_INDEX = "MATCH (i:RgIndex {name: $name}) SET i.taken = true RETURN i.at AS at, i.settled AS settled"
FILL = """
MATCH (n:RgResource) WHERE n.rg_id > $at WITH n ORDER BY n.rg_id LIMIT $most
OPTIONAL MATCH (m:RgMemory {key: $prefix + n.rg_id})
RETURN n.rg_id AS id, n.state_id IS NOT NULL AND (m IS NULL OR m.state <> n.state_id) AS wanted ORDER BY id"""

# -- what is to be indexed: resources

FEED = """
UNWIND $ids AS id MATCH (n:RgResource {rg_id: id}) WHERE n.state_id IS NOT NULL
OPTIONAL MATCH (p:RgResource {rg_id: n.repository_id})
RETURN n.rg_id AS node_id, n.kind AS kind, n.number AS number, n.title AS title, n.updated_at AS updated_at,
    n.pushed_at AS pushed_at, n.fetched_at AS fetched_at, n.state_id AS state_id, coalesce(p.name, n.name) AS name,
    coalesce(p.rg_id, n.rg_id) AS repository"""

# -- filling

INDEXED = """
UNWIND $ids AS id MATCH (:RgMemory {key: $prefix + id})-[:HAS_VERSION]->(v:RgVersion)
RETURN id, v.uid AS uid, v.valid_until AS valid_until"""
PUT_MEMORIES = """
UNWIND $rows AS row MERGE (m:RgMemory {key: row.key}) SET m += row.memory
WITH m OPTIONAL MATCH (m)-[:CALLED]->(c:RgCall) DETACH DELETE c"""
ADD_CALLS = """
UNWIND $rows AS row MATCH (m:RgMemory {key: row.key})
FOREACH (one IN row.calls | CREATE (m)-[:CALLED]->(c:RgCall) SET c = one)"""
SET_VERSIONS = "UNWIND $rows AS row MATCH (v:RgVersion {key: row.key}) SET v += row.version"
DROP_VERSIONS = """
UNWIND $ids AS id MATCH (v:RgVersion {key: id})
OPTIONAL MATCH (v)-[:HAS_TEXT|HAS_VECTOR|MENTIONS]->(part) DETACH DELETE part, v"""
DROP_MEMORIES = """
UNWIND $ids AS id MATCH (m:RgMemory {memory_id: id}) WHERE $key = '' OR m.key = $key + id
OPTIONAL MATCH (m)-[:HAS_VERSION]->(v:RgVersion) OPTIONAL MATCH (v)-[:HAS_TEXT|HAS_VECTOR|MENTIONS]->(part)
OPTIONAL MATCH (m)-[:CALLED]->(c:RgCall) DETACH DELETE part, v, c, m"""

# -- vectors

BARE = """
MATCH (v:RgVersion {bare: $bare}) WITH v LIMIT $most MATCH (m:RgMemory)-[:HAS_VERSION]->(v)
OPTIONAL MATCH (v)-[:HAS_TEXT]->(t:RgText)
RETURN v.key AS version, m.key AS memory, v.bare AS bare, t.place AS place, t.title AS title, t.body AS body,
    t.comments AS comments ORDER BY version, place"""
BARE_LEFT = "UNWIND $names AS name MATCH (v:RgVersion {bare: name}) RETURN count(v) AS n"
LOCK_VERSIONS = "UNWIND $ids AS id MATCH (v:RgVersion {key: id}) SET v.taken = true"
SET_EMBEDDED = """
UNWIND $ids AS id MATCH (v:RgVersion {key: id}) WHERE v.bare IS NOT NULL SET v.bare = null
RETURN v.key AS version, v.valid_until IS NULL AS open"""
DROP_VECTORS = """
MATCH (m:RgMemory {index: $name})-[:HAS_VERSION]->(v:RgVersion) WHERE v.bare IS NULL WITH v LIMIT $most
SET v.bare = CASE WHEN v.valid_until IS NULL THEN $now ELSE $past END
WITH v OPTIONAL MATCH (v)-[:HAS_VECTOR]->(c:RgVector) DETACH DELETE c RETURN count(DISTINCT v) AS n"""

# -- asking

SCOPE = """(m.owner = '' OR m.scope IN $projects) AND (size($kinds) = 0 OR m.kind IN $kinds)
    AND ($repository = '' OR (m.scope = $repository AND m.owner = ''))
    AND ($project = '' OR (m.scope = $project AND m.owner <> ''))"""
SEEN = "(m.owner = '' OR m.scope IN $projects)"
VALID = """(($as_of = '' AND v.valid_until IS NULL)
    OR ($as_of <> '' AND v.valid_from <= $as_of AND (v.valid_until IS NULL OR v.valid_until > $as_of)))"""
COUNTED = "\nRETURN asked.word AS word, count(node) AS n"
HAS_WORD = "\nRETURN asked.word AS word, asked.ref AS ref, count(node) AS n"
NAMED = f"""
UNWIND $rows AS row MATCH (c:RgCall {{name: row.name}}) MATCH (m:RgMemory)-[:CALLED]->(c)
MATCH (m)-[:HAS_VERSION]->(v:RgVersion) WHERE {SCOPE} AND {VALID}
RETURN DISTINCT row.place AS place, m.memory_id AS memory_id, m.address AS address, m.label AS label
ORDER BY place, address"""
SPOKEN_OF = f"""
UNWIND $rows AS row MATCH (e:RgMention {{target: row.name}}) MATCH (m:RgMemory)-[:HAS_VERSION]->(v)-[:MENTIONS]->(e)
WHERE {SEEN} AND {VALID} RETURN DISTINCT row.place AS place, e.scope AS scope ORDER BY place, scope"""
NUMBERED = f"""
MATCH (m:RgMemory {{numbered: $numbered}}) MATCH (m)-[:HAS_VERSION]->(v:RgVersion) WHERE {SCOPE} AND {VALID}
RETURN DISTINCT m.memory_id AS memory_id, m.address AS address, m.label AS label ORDER BY address LIMIT 20"""
CALLED = f"""
UNWIND $ids AS id MATCH (m:RgMemory {{key: id}}) WHERE {SEEN} MATCH (m)-[:CALLED]->(c:RgCall)
RETURN DISTINCT c.scope AS scope, c.name AS name"""
EDGES_FROM = f"""
UNWIND $ids AS id MATCH (m:RgMemory {{key: id}})-[:HAS_VERSION]->(v:RgVersion)-[:MENTIONS]->(e:RgMention)
WHERE {SEEN} AND {VALID} AND (size($verbs) = 0 OR e.verb IN $verbs)
RETURN m.memory_id AS source, m.label AS label, e.verb AS verb, e.scope AS scope, e.target AS target LIMIT 20000"""
EDGES_TO = f"""
UNWIND $ids AS id MATCH (:RgMemory {{key: id}})-[:CALLED]->(c:RgCall) MATCH (e:RgMention {{target: c.name}})
WHERE (e.scope = c.scope OR (e.scope = $any AND c.scope <> '')) AND (size($verbs) = 0 OR e.verb IN $verbs)
MATCH (m:RgMemory)-[:HAS_VERSION]->(v:RgVersion)-[:MENTIONS]->(e) WHERE {SEEN} AND {VALID}
RETURN m.memory_id AS source, m.label AS label, e.verb AS verb, e.scope AS scope, e.target AS target LIMIT 20000"""
EDGES_TO_NAMES = f"""
UNWIND $rows AS row MATCH (e:RgMention {{target: row.name}})
WHERE e.scope = row.scope AND (size($verbs) = 0 OR e.verb IN $verbs)
MATCH (m:RgMemory)-[:HAS_VERSION]->(v:RgVersion)-[:MENTIONS]->(e) WHERE {SEEN} AND {VALID}
RETURN m.memory_id AS source, m.label AS label, e.verb AS verb, e.scope AS scope, e.target AS target LIMIT 20000"""
TARGETS = f"""
UNWIND $names AS name MATCH (c:RgCall {{name: name}}) MATCH (m:RgMemory)-[:CALLED]->(c) WHERE {SEEN}
RETURN DISTINCT name AS target, c.scope AS scope, m.memory_id AS memory_id, m.label AS label"""
CARDS = f"""
UNWIND $ids AS id MATCH (m:RgMemory {{key: id}})-[:HAS_VERSION]->(v:RgVersion) WHERE {SCOPE} AND {VALID}
RETURN m.memory_id AS memory_id, m.address AS address, m.kind AS kind, m.scope AS scope,
    CASE WHEN $as_of = '' THEN m.title ELSE coalesce(v.title, m.title) END AS title, v.uid AS uid,
    v.updated_at AS updated_at"""
PIECES = f"""
UNWIND $ids AS id MATCH (m:RgMemory {{key: id}})-[:HAS_VERSION]->(v:RgVersion)-[:HAS_TEXT]->(t:RgText)
WHERE {SCOPE} AND {VALID} AND t.place < 200
RETURN m.memory_id AS memory_id, t.title AS title, t.body AS body, t.comments AS comments ORDER BY memory_id, t.place"""
SINCE = (
    f"MATCH (m:RgMemory {{index: $name}})-[:HAS_VERSION]->(v:RgVersion) WHERE {SEEN} RETURN min(v.valid_from) AS since"
)
COUNTS = """
MATCH (m:RgMemory {index: $name}) OPTIONAL MATCH (m)-[:HAS_VERSION]->(v:RgVersion)
OPTIONAL MATCH (v)-[:HAS_VECTOR]->(c:RgVector)
RETURN count(DISTINCT m) AS memories, count(DISTINCT v) AS states, count(DISTINCT c) AS vectors"""
VERIFIED = """
UNWIND $rows AS row MATCH (m:RgName {name: row.name}) MATCH (n:RgResource {place: m.repository + row.suffix})
RETURN row.key AS address, n.fetched_at AS at"""


def found(edge: str) -> str:
    """Whose rows of text (HAS_TEXT) or chunks (HAS_VECTOR) the `node`s before this are, best first."""
    return f"""
MATCH (m:RgMemory)-[:HAS_VERSION]->(v:RgVersion)-[:{edge}]->(node) WHERE {SCOPE} AND {VALID}
RETURN m.memory_id AS memory_id, score, node.ref AS ref ORDER BY score DESC"""


def add_versions(kind: str, text: str) -> str:
    """Add States to memories, with their rows of text, which get two labels, and what they speak of."""
    return f"""
UNWIND $rows AS row MATCH (m:RgMemory {{key: row.memory}})
CREATE (m)-[:HAS_VERSION]->(v:RgVersion) SET v = row.version
FOREACH (one IN row.texts | CREATE (v)-[:HAS_TEXT]->(t:RgText:{kind}:{text}) SET t = one)
FOREACH (one IN row.mentions | CREATE (v)-[:MENTIONS]->(e:RgMention) SET e = one)"""


def add_vectors(label: str) -> str:
    """Add the vectors of a State."""
    return f"""
UNWIND $rows AS row MATCH (v:RgVersion {{key: row.version}})
FOREACH (one IN row.vectors | CREATE (v)-[:HAS_VECTOR]->(c:RgVector:{label}) SET c.vector = one, c.ref = v.key)"""


def rows(label: str) -> str:
    """How many rows of text there are of a label."""
    return f"MATCH (t:{label}) RETURN count(t) AS n"


def relabel(edge: str, before: str, after: str) -> str:
    """Have the rows of text, or the chunks, of States that ended leave what is searched for the present, or return."""
    return f"""
UNWIND $ids AS id MATCH (:RgVersion {{key: id}})-[:{edge}]->(n) REMOVE n:{before} SET n:{after}"""
