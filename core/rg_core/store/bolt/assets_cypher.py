"""The Cypher of governed assets. Values are always parameters; every node of ours has a label of ours, Rg..., too.

(:Project)-[:HAS_ASSET]->(:Asset)-[:HAS_VERSION]->(:AssetVersion)-[:HAS_CONTENT]->(:AssetContent), whose pages and
symbols hang on it. `User` and `Session` are other products' nodes: joined where they are there, never written.
"""

from __future__ import annotations

from rg_core.store.asset_rows import Listed

UNIQUE = (
    ("RgProject", "name"),
    ("RgAsset", "id"),
    ("RgAssetVersion", "key"),
    ("RgAssetContent", "id"),
    ("RgSymbol", "key"),
    ("RgTarget", "key"),
    ("RgCommit", "sha"),
    ("RgAssetLock", "name"),
)
INDEXED = (("RgAsset", "project"), ("RgAudit", "project"), ("RgMaybe", "content"), ("RgPage", "content"),
           ("RgAssetText", "content"))  # fmt: skip

CONTENT = "c.id AS c_id, c.name AS c_name, c.description AS c_description, c.summary AS c_summary, c.labels AS c_labels"
OF_ASSET, OF_CONTENT = ("id", "type", "head", "effective"), ("name", "description", "summary", "labels")


def _column(name: str) -> str:
    """A column of Listed: of the asset, of its newest version or of its effective one, or of the content of one."""
    node, field = ("e", name.removeprefix("effective_")) if name.startswith("effective_") else ("h", name)
    if name in OF_ASSET:
        node = "a"
    elif field in OF_CONTENT:
        node += "c"
    return f"{node}.{field} AS {name}"


def _listed(which: str) -> str:
    return f"""
MATCH (a:RgAsset {{{which}}})-[:HAS_VERSION]->(h:RgAssetVersion)-[:HAS_CONTENT]->(hc:RgAssetContent)
WHERE h.n = a.head
OPTIONAL MATCH (a)-[:HAS_VERSION]->(e:RgAssetVersion)-[:HAS_CONTENT]->(ec:RgAssetContent)
WHERE e.n = a.effective AND e.n <> a.head
RETURN {", ".join(map(_column, Listed._fields))}"""


LOAD = _listed("project: $project")
LISTED = _listed("id: $id, project: $project")
VERSIONS = f"""
MATCH (a:RgAsset {{id: $id}})-[:HAS_VERSION]->(v:RgAssetVersion)-[:HAS_CONTENT]->(c:RgAssetContent)
RETURN properties(a) AS a, properties(v) AS v, {CONTENT}, c.payload AS c_payload, c.body AS c_body ORDER BY v.n"""
BODY = "MATCH (c:RgAssetContent {id: $id}) RETURN c.body AS body"

LOCK = "MERGE (l:RgAssetLock {name: 'assets'}) SET l.taken = true"
HEADS = "UNWIND $ids AS id MATCH (a:RgAsset {id: id}) RETURN a.id AS id, a.head AS head"
HAS_CONTENT = "MATCH (c:RgAssetContent {id: $id}) RETURN c.id AS id"
ADD_CONTENT = "CREATE (c:RgAssetContent:AssetContent) SET c = $content"
ADD_PAGES = """
UNWIND $rows AS row MATCH (c:RgAssetContent {id: row.content})
CREATE (c)-[:HAS_PAGE]->(p:RgPage:Page) SET p = row"""
ADD_LINKS = """
UNWIND $rows AS row MATCH (p:RgPage {content: row.content}) WHERE p.path = row.source
MATCH (q:RgPage {content: row.content}) WHERE q.path = row.target CREATE (p)-[:LINKS_TO]->(q)"""
ADD_SYMBOLS = """
UNWIND $rows AS row MATCH (c:RgAssetContent {id: row.content})
CREATE (c)-[:HAS_SYMBOL]->(s:RgSymbol:Symbol) SET s = row"""
ADD_CALLS = """
UNWIND $rows AS row MATCH (s:RgSymbol {key: row.source}) MATCH (o:RgSymbol {key: row.target})
CREATE (s)-[:CALLS {how: row.how, line: row.line}]->(o)"""
ADD_TEXTS = "UNWIND $rows AS row CREATE (t:RgAssetText) SET t = row"
ADD_MAYBES = "UNWIND $rows AS row CREATE (m:RgMaybe) SET m = row"
PUT_ASSET = """
MERGE (p:RgProject {name: $asset.project}) SET p:Project
MERGE (a:RgAsset {id: $asset.id}) SET a:Asset, a += $asset, a.effective = $asset.effective
MERGE (p)-[:HAS_ASSET]->(a)"""
ADD_VERSION = """
MATCH (a:RgAsset {id: $version.asset}) MATCH (c:RgAssetContent {id: $version.content})
CREATE (a)-[:HAS_VERSION]->(v:RgAssetVersion:AssetVersion)-[:HAS_CONTENT]->(c) SET v = $version"""
SUPERSEDE = """
MATCH (a:RgAsset {id: $id})-[:HAS_VERSION]->(w:RgAssetVersion) WHERE w.n < $n WITH w ORDER BY w.n DESC LIMIT 1
MATCH (v:RgAssetVersion {key: $key}) MERGE (w)-[:SUPERSEDED_BY]->(v)"""
UNBIND = "MATCH (a:RgAsset {id: $id})-[r:BOUND_TO]->(:RgTarget) DELETE r"
BIND = {
    kind: f"""
UNWIND $rows AS row MATCH (a:RgAsset {{id: row.asset}})
MERGE (t:RgTarget {{key: row.key}}) SET t:{label}, t.name = row.name
MERGE (a)-[r:BOUND_TO]->(t)
SET r.mode = row.mode, r.priority = row.priority, r.required = row.required, r.enabled = row.enabled"""
    for kind, label in (("agent", "Agent"), ("task", "Task"), ("framework", "Framework"))
}
DISOWN = "MATCH (a:RgAsset {id: $id})-[r:OWNED_BY]->() DELETE r"
OWN = "MATCH (u:User {user_id: $owner}) MATCH (a:RgAsset {id: $id}) MERGE (a)-[:OWNED_BY]->(u)"
FROM_COMMIT = """
MATCH (v:RgAssetVersion {key: $key}) MERGE (c:RgCommit {sha: $commit}) SET c:Commit MERGE (v)-[:DERIVED_FROM]->(c)"""
FROM_STATES = """
UNWIND $states AS state MATCH (s:RgState {id: state}) MATCH (v:RgAssetVersion {key: $key})
MERGE (v)-[:DERIVED_FROM]->(s)"""
FROM_SESSION = """
MATCH (v:RgAssetVersion {key: $key}) MATCH (s:Session {session_id: $session}) MERGE (v)-[:DERIVED_FROM]->(s)"""

ORPHANS = """
MATCH (:RgAsset {id: $id})-[:HAS_VERSION]->(:RgAssetVersion)-[:HAS_CONTENT]->(c:RgAssetContent) WITH DISTINCT c
MATCH (c)<-[:HAS_CONTENT]-(:RgAssetVersion)<-[:HAS_VERSION]-(b:RgAsset)
WITH c, sum(CASE WHEN b.id = $id THEN 0 ELSE 1 END) AS others WHERE others = 0 RETURN c.id AS id"""
REMOVE_PARTS = (
    "UNWIND $ids AS id MATCH (:RgAssetContent {id: id})-[:HAS_PAGE]->(p:RgPage) DETACH DELETE p",
    "UNWIND $ids AS id MATCH (:RgAssetContent {id: id})-[:HAS_SYMBOL]->(s:RgSymbol) DETACH DELETE s",
    "UNWIND $ids AS id MATCH (m:RgMaybe {content: id}) DETACH DELETE m",
    "UNWIND $ids AS id MATCH (t:RgAssetText {content: id}) DETACH DELETE t",
)
REMOVE_ASSET = """
MATCH (a:RgAsset {id: $id}) OPTIONAL MATCH (a)-[:HAS_VERSION]->(v:RgAssetVersion) DETACH DELETE v, a"""
REMOVE_CONTENT = "UNWIND $ids AS id MATCH (c:RgAssetContent {id: id}) DETACH DELETE c"

ADD_AUDIT = "CREATE (x:RgAudit) SET x = $row"
AUDIT = """
MATCH (x:RgAudit {project: $project}) WHERE x.at >= $since
RETURN properties(x) AS x ORDER BY x.at DESC, x.seq DESC"""

PAGES = """
MATCH (p:RgPage {content: $id})
RETURN p.path AS path, p.title AS title, p.sha256 AS sha256, p.citation AS citation ORDER BY p.path"""
PAGE = "MATCH (p:RgPage {content: $id}) WHERE p.path = $path RETURN properties(p) AS p"
ALL_PAGES = "MATCH (p:RgPage {content: $id}) RETURN properties(p) AS p ORDER BY p.path"
CITING = """
MATCH (p:RgPage) WHERE p.content IN $contents AND p.citation IN $citations
RETURN p.content AS content, p.path AS path, p.title AS title, p.sha256 AS sha256, p.citation AS citation
ORDER BY content, path"""
TEXTS = """
UNWIND $ids AS id MATCH (t:RgAssetText {content: id})
RETURN t.content AS content, t.path AS path, t.name AS name, t.text AS text"""
LINKS = "MATCH (c:RgAssetContent {id: $id}) RETURN c.links AS links"
SYMBOLS = "MATCH (:RgAssetContent {id: $id})-[:HAS_SYMBOL]->(s:RgSymbol) RETURN properties(s) AS s ORDER BY s.id"
NAMED = """
MATCH (:RgAssetContent {id: $id})-[:HAS_SYMBOL]->(s:RgSymbol) WHERE s.name = $name OR s.qualname = $name
RETURN properties(s) AS s ORDER BY s.path, s.line"""
CALLS = """
MATCH (:RgAssetContent {id: $id})-[:HAS_SYMBOL]->(s:RgSymbol)-[r:CALLS]->(o:RgSymbol)
RETURN s.id AS source, o.id AS target, r.line AS line, r.how AS how"""
CALLERS = """
MATCH (s:RgSymbol)-[r:CALLS]->(:RgSymbol {key: $key}) RETURN properties(s) AS s, r.line AS line, r.how AS how
ORDER BY s.path, r.line"""
CALLEES = """
MATCH (:RgSymbol {key: $key})-[r:CALLS]->(s:RgSymbol) RETURN properties(s) AS s, r.line AS line, r.how AS how
ORDER BY r.line, s.path"""
MAYBES = "MATCH (m:RgMaybe {content: $id}) RETURN m.source AS source, m.name AS name, m.line AS line"
COUNT_MAYBES = "MATCH (m:RgMaybe {content: $id}) WHERE m.name = $name RETURN count(m) AS found"
