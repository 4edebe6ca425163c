"""Every Cypher statement of the Bolt engine. Values are always parameters; rows come as one list.

All of it runs unchanged on Neo4j 5 and later and on Memgraph: no subqueries, no pattern predicates or comprehensions,
no label expressions, no words of the language as property names in the text. Only the schema statements differ by
server (rg_core.store.bolt.schema).

Resources, States, Comments, Listings and Touches are the memory. Beside them, (:RgName) is a name that a repository has
or had, (:RgSnapshot) an immutable answer of a Listing, (:RgAwaited) an address that something refers to and that is not
stored, (:RgMove) a former address, (:RgLease) who works. `place` of a Resource is where it is whatever its repository
is called: the repository's node_id, and for an item "#" and its number after it.

The database may be others' too. So every node of ours has a label of our own, which everything here is found by, beside
the public one that people and other programs look for: (:RgResource:Resource:Issue). What a program of the same kind
would find its own nodes by has a name of our own as well: GitHub's id is `rg_id`, the canonical key of a Resource
`rg_key`, so that no MERGE of theirs finds a node of ours.
"""

from __future__ import annotations

# -- columns that several statements return

HEAD_COLUMNS = """
    n.rg_id AS node_id, n.kind AS kind, n.repository_id AS repository_id, n.place AS place, n.name AS name,
    n.named_at AS named_at, n.state_id AS state_id, n.deleted AS deleted, n.moved_to AS moved_to,
    n.updated_at AS updated_at, n.pushed_at AS pushed_at, n.fetched_at AS fetched_at, n.rg_key AS address"""
ROW_COLUMNS = """n.rg_id AS node_id, p.name AS repository, n.number AS number, n.title AS title, n.state AS state,
    n.labels AS labels, n.updated_at AS updated_at, n.comment_count AS comments, n.kind AS kind, n.author AS author"""
DUMPED_COLUMNS = """n.rg_id AS node_id, n.kind AS kind, n.name AS name, n.named_at AS named_at,
    n.repository_id AS repository_id, n.number AS number, n.updated_at AS updated_at, n.pushed_at AS pushed_at,
    n.fetched_at AS fetched_at, n.deleted AS deleted, n.state_id AS state_id"""
STATE_COLUMNS = """s.id AS id, s.valid_from AS valid_from, s.valid_until AS valid_until,
    s.recorded_at AS recorded_at, s.content AS content, s.comments AS comments"""

# -- writing resources

# Locks nodes until the transaction ends, so that what is read after it is read alone; LOCK makes what is missing.
LOCK = "UNWIND $ids AS id MERGE (n:RgResource {rg_id: id}) ON CREATE SET n:Resource ON MATCH SET n.taken = true"
TAKE_STORED = "UNWIND $ids AS id MATCH (n:RgResource {rg_id: id}) SET n.taken = true RETURN id"
TAKE_NAMES = "UNWIND $names AS name MERGE (m:RgName {name: name}) ON MATCH SET m.taken = true"
HEADS = f"""
UNWIND $ids AS id MATCH (n:RgResource {{rg_id: id}})
RETURN {HEAD_COLUMNS}"""
PLACES = """
UNWIND $places AS place MATCH (n:RgResource {place: place}) RETURN n.place AS place, n.rg_id AS node_id"""
STATES_OF = """
UNWIND $ids AS id MATCH (s:RgState {id: id})
RETURN s.id AS id, s.valid_from AS valid_from, s.content AS content, s.comments AS comments"""
NAMES = """
UNWIND $names AS name MATCH (m:RgName {name: name}) OPTIONAL MATCH (r:RgResource {rg_id: m.repository})
RETURN m.name AS name, m.repository AS repository, r.name AS bears, r.named_at AS named_at"""

DROP_NEW = "MATCH (n:RgResource {rg_id: $id}) WHERE n.place IS NULL DELETE n"
SET_NODE = "MATCH (n:RgResource {rg_id: $old}) SET n.rg_id = $new"
SET_NAMES = """
UNWIND $rows AS row MATCH (n:RgResource {rg_id: row.node_id})
SET n:RgResource:Repository, n.kind = 'repository', n.name = row.name, n.named_at = row.named_at,
    n.rg_key = row.address, n.place = row.node_id"""
PUT_NAMES = """
UNWIND $rows AS row MATCH (n:RgResource {rg_id: row.repository})
MERGE (m:RgName {name: row.name}) SET m.repository = row.repository
WITH m, n OPTIONAL MATCH (m)-[old:NAME_OF]->(other) WHERE other.rg_id <> n.rg_id DELETE old
WITH DISTINCT m, n MERGE (m)-[:NAME_OF]->(n)"""
RENAME_ITEMS = """
MATCH (n:RgResource {rg_id: $id})-[:HAS_ISSUE|HAS_PULL_REQUEST]->(i:RgResource)
SET i.rg_key = $address + '#' + toString(i.number), i.repository = $name"""
LEAVE_PARENT = """
UNWIND $ids AS id MATCH (:RgResource)-[old:HAS_ISSUE|HAS_PULL_REQUEST]->(:RgResource {rg_id: id}) DELETE old"""
# A resource with its new State, and the wordings of its comments that are new. ADD_: there was nothing of it, so
# nothing is looked for. That makes a first fetch half as long again as the bare writing of its rows.
SET_REPOSITORIES = """
UNWIND $rows AS row MATCH (n:RgResource {rg_id: row.head.rg_id})
SET n += row.head, n:RgResource:Repository
CREATE (n)-[:HAS_STATE]->(s:RgState:State) SET s = row.state"""
_SET_ITEMS = """
UNWIND $rows AS row MATCH (n:RgResource {rg_id: row.head.rg_id}) MATCH (p:RgResource {rg_id: row.head.repository_id})
SET n += row.head, n:RgResource:Item MERGE (p)-[:HAS_ITEM]->(n)
CREATE (n)-[:HAS_STATE]->(s:RgState:State) SET s = row.state
FOREACH (new IN row.comments |
    MERGE (c:RgComment {id: new.id}) ON CREATE SET c:Comment, c += new MERGE (n)-[:HAS_COMMENT]->(c))"""
_ADD_ITEMS = """
UNWIND $rows AS row MATCH (p:RgResource {rg_id: row.head.repository_id})
CREATE (p)-[:HAS_ITEM]->(n:RgResource:Resource:Item) SET n = row.head
CREATE (n)-[:HAS_STATE]->(s:RgState:State) SET s = row.state
FOREACH (new IN row.comments | CREATE (n)-[:HAS_COMMENT]->(c:RgComment:Comment) SET c = new)"""
SET_ISSUES = _SET_ITEMS.replace(":Item", ":Issue").replace("HAS_ITEM", "HAS_ISSUE")
ADD_ISSUES = _ADD_ITEMS.replace(":Item", ":Issue").replace("HAS_ITEM", "HAS_ISSUE")
SET_PULL_REQUESTS = _SET_ITEMS.replace(":Item", ":PullRequest").replace("HAS_ITEM", "HAS_PULL_REQUEST")
ADD_PULL_REQUESTS = _ADD_ITEMS.replace(":Item", ":PullRequest").replace("HAS_ITEM", "HAS_PULL_REQUEST")
ADD_STATES = """
UNWIND $rows AS row MATCH (n:RgResource {rg_id: row.node_id})
CREATE (n)-[:HAS_STATE]->(s:RgState:State) SET s = row.state"""
SUPERSEDE = """
UNWIND $rows AS row MATCH (old:RgState {id: row.old}) MATCH (new:RgState {id: row.new})
SET old.valid_until = row.until
CREATE (old)-[:SUPERSEDED_BY {event_type: row.event_type, at: row.until, cause: row.cause}]->(new)"""
LEAVE_COMMENTS = """
UNWIND $rows AS row MATCH (:RgResource {rg_id: row.item})-[old:HAS_COMMENT]->(c:RgComment {id: row.id}) DELETE old"""
SET_FETCHED = """
UNWIND $rows AS row MATCH (n:RgResource {rg_id: row.node_id})
SET n.fetched_at = CASE WHEN n.fetched_at < row.fetched_at THEN row.fetched_at ELSE n.fetched_at END,
    n.updated_at = CASE WHEN n.updated_at < row.updated_at THEN row.updated_at ELSE n.updated_at END,
    n.pushed_at = CASE WHEN n.pushed_at < row.pushed_at THEN row.pushed_at ELSE n.pushed_at END"""
SET_DELETED = "MATCH (n:RgResource {rg_id: $id}) SET n.state_id = $state, n.deleted = true"

# -- references: an edge where both ends are stored, an Awaited address where one is not yet

LINKS_OF = """
UNWIND $ids AS id MATCH (n:RgResource {rg_id: id})-[old:REFERENCES|CLOSES|AWAITS]->() DELETE old"""
TARGETS = """
UNWIND $rows AS row MATCH (m:RgName {name: row.name}) MATCH (n:RgResource {place: m.repository + row.suffix})
WHERE n.state_id IS NOT NULL RETURN DISTINCT row.key AS key, n.rg_id AS node_id"""
REFER = """
UNWIND $rows AS row MATCH (a:RgResource {rg_id: row.source}) MATCH (b:RgResource {rg_id: row.target})
MERGE (a)-[:REFERENCES]->(b)"""
CLOSE = """
UNWIND $rows AS row MATCH (a:RgResource {rg_id: row.source}) MATCH (b:RgResource {rg_id: row.target})
MERGE (a)-[:CLOSES]->(b)"""
AWAIT = """
UNWIND $rows AS row MATCH (a:RgResource {rg_id: row.source})
MERGE (w:RgAwaited {address: row.key}) SET w.repository = row.name MERGE (a)-[:AWAITS {type: row.type}]->(w)"""
AWAITED = """
UNWIND $keys AS key MATCH (x:RgAwaited {address: key}) WITH x MATCH (a:RgResource)-[w:AWAITS]->(x)
RETURN a.rg_id AS source, w.type AS type, x.address AS key"""
AWAITED_BELOW = """
UNWIND $names AS name MATCH (x:RgAwaited {repository: name}) WITH x MATCH (a:RgResource)-[w:AWAITS]->(x)
RETURN a.rg_id AS source, w.type AS type, x.address AS key"""
DROP_AWAITED = "UNWIND $keys AS key MATCH (x:RgAwaited {address: key}) DETACH DELETE x"
LINKS_TO = """
MATCH (a:RgResource)-[l:REFERENCES|CLOSES]->(b:RgResource {rg_id: $id}) WHERE a.rg_id <> b.rg_id
RETURN a.rg_id AS source, type(l) AS type"""

# -- moves

PUT_MOVE = """
MERGE (m:RgMove {old: $old})
SET m.new = $new, m.node_id = $node_id, m.old_node_id = coalesce($old_node_id, m.old_node_id)"""
MOVES_TO = """
UNWIND $ids AS id MATCH (m:RgMove {node_id: id})
RETURN m.node_id AS node_id, m.old AS old, m.old_node_id AS old_node_id"""
MOVE_ONWARD = "MATCH (m:RgMove {old_node_id: $id}) RETURN m.new AS new, m.node_id AS node_id LIMIT 1"
FIRST_STATE = """
MATCH (:RgResource {rg_id: $id})-[:HAS_STATE]->(s:RgState) RETURN s.id AS id, s.valid_from AS valid_from
ORDER BY s.valid_from LIMIT 1"""
MOVE_ON = """
MATCH (old:RgResource {rg_id: $old}) MATCH (new:RgResource {rg_id: $new})
SET old.moved_to = $new, new.moved_to = null MERGE (old)-[:MOVED_TO]->(new)
WITH new OPTIONAL MATCH (new)-[circle:MOVED_TO]->() DELETE circle"""
SET_EVENT = "MATCH (s:RgState {id: $id}) SET s.event_type = $event_type"

# -- listings

TAKE_LISTING = "MERGE (l:RgListing {key: $key}) ON CREATE SET l:Listing SET l.taken = true"
LISTING_HEAD = """
MATCH (l:RgListing {key: $key}) OPTIONAL MATCH (s:RgSnapshot {id: l.snapshot})
RETURN l.fetched_at AS fetched_at, s.id AS id, s.sameness AS sameness, s.members AS members"""
MEMBER_FACTS = """
UNWIND $ids AS id MATCH (n:RgResource {rg_id: id}) WHERE n.state_id IS NOT NULL
OPTIONAL MATCH (p:RgResource {rg_id: n.repository_id})
RETURN n.rg_id AS node_id, n.state_id AS state_id, n.number AS number, n.title AS title, n.state AS state,
    p.name AS repository"""
SET_LISTING = """
MATCH (l:RgListing {key: $key}) SET l += $listing, l.taken = null
WITH l MATCH (m:RgName {name: l.repository}) MATCH (p:RgResource {rg_id: m.repository}) MERGE (l)-[:LISTS_FROM]->(p)"""
LISTINGS_UNDER = """
MATCH (l:RgListing {repository: $name}) WHERE l.snapshot IS NOT NULL
RETURN l.key AS key, l.question AS question, l.ordering AS ordering, l.fetched_at AS fetched_at"""
MOVE_LISTING = "MATCH (l:RgListing {key: $old}) SET l.key = $key, l.address = $address, l.repository = $name"
DROP_LISTING = """
MATCH (l:RgListing {key: $key}) OPTIONAL MATCH (l)-[:HAS_SNAPSHOT]->(s:RgSnapshot) DETACH DELETE l, s"""
ADD_SNAPSHOT = """
MATCH (l:RgListing {key: $key}) CREATE (l)-[:HAS_SNAPSHOT]->(s:RgSnapshot) SET s = $snapshot"""
SET_TIMES = "MATCH (s:RgSnapshot {id: $id}) SET s.times = $times"
LEAVE_LISTING = """
UNWIND $ids AS id MATCH (:RgListing {key: $key})-[old:HAS_MEMBER]->(:RgResource {rg_id: id}) DELETE old"""
PUT_MEMBERS = """
MATCH (l:RgListing {key: $key}) UNWIND $rows AS row MATCH (n:RgResource {rg_id: row.node_id})
MERGE (l)-[m:HAS_MEMBER]->(n) SET m.position = row.position, m.fetched_at = row.fetched_at"""

# -- leases

TAKE_LEASE = "MERGE (l:RgLease {name: $name}) SET l.taken = true"
SET_LEASE = """
MATCH (l:RgLease {name: $name}) WHERE l.holder IS NULL OR l.holder = $holder OR l.until <= $now
SET l.holder = $holder, l.until = $until RETURN l.holder AS holder"""
RELEASE = "MATCH (l:RgLease {name: $name}) WHERE l.holder = $holder DELETE l"

MOVED_TARGETS = """
UNWIND $keys AS key MATCH (m:RgMove {old: key}) MATCH (n:RgResource {rg_id: m.node_id})
WHERE n.state_id IS NOT NULL RETURN key, n.rg_id AS node_id"""
LEAVE_MOVED = "UNWIND $ids AS id MATCH (:RgResource {rg_id: id})-[old:MOVED_TO]->() DELETE old"

# -- reading resources

HEAD_AT = """
MATCH (m:RgName {name: $name}) MATCH (n:RgResource {place: m.repository + $suffix})
RETURN n.rg_id AS node_id, n.kind AS kind, n.repository_id AS repository_id, n.state_id AS state_id,
    n.moved_to AS moved_to, n.updated_at AS updated_at, n.pushed_at AS pushed_at, n.fetched_at AS fetched_at,
    n.rg_key AS address, n.name AS name"""
STATE = f"""
MATCH (s:RgState {{id: $id}})
RETURN {STATE_COLUMNS}"""
STATE_THEN = f"""
MATCH (:RgResource {{rg_id: $node_id}})-[:HAS_STATE]->(s:RgState) WHERE s.valid_from <= $as_of
RETURN {STATE_COLUMNS}
ORDER BY s.valid_from DESC LIMIT 1"""
COMMENTS = "UNWIND $ids AS id MATCH (c:RgComment {id: id}) RETURN c.id AS id, properties(c) AS comment"
REPOSITORY_NAME = "MATCH (p:RgResource {rg_id: $id}) RETURN p.name AS name"
PREDECESSORS = "MATCH (n:RgResource)-[:MOVED_TO]->(:RgResource {rg_id: $id}) RETURN n.rg_id AS node_id"
HISTORY = """
MATCH (:RgResource {rg_id: $node_id})-[:HAS_STATE]->(s:RgState)
RETURN s.id AS id, s.event_type AS event_type, s.valid_from AS valid_from, s.valid_until AS valid_until,
    s.recorded_at AS recorded_at, s.cause AS cause ORDER BY s.valid_from"""
NAMES_OF = """
MATCH (:RgName {name: $name})-[:NAME_OF]->(p:RgResource) MATCH (p)<-[:NAME_OF]-(m:RgName) RETURN m.name AS name"""
MOVED = "MATCH (m:RgMove {old: $old}) RETURN m.new AS new, m.node_id AS node_id"
LINKS_FROM = """
MATCH (:RgResource {rg_id: $id})-[l:REFERENCES|CLOSES]->(n:RgResource) RETURN type(l) AS type, n.rg_id AS node_id"""

# -- reading listings

LISTINGS_AT = """
UNWIND $keys AS key MATCH (l:RgListing {key: key}) MATCH (s:RgSnapshot {id: l.snapshot})
RETURN s.id AS id, l.question AS question, l.ordering AS ordering, s.member_count AS member_count,
    s.total_count AS total_count, s.complete AS complete, l.fetched_at AS fetched_at, s.members AS members,
    s.times AS times
ORDER BY l.fetched_at DESC LIMIT 1"""
CANDIDATES = """
UNWIND $names AS name MATCH (l:RgListing {repository: name}) WHERE l.kind = $kind MATCH (s:RgSnapshot {id: l.snapshot})
RETURN s.id AS id, l.question AS question, l.ordering AS ordering, s.member_count AS member_count,
    s.total_count AS total_count, s.complete AS complete, l.fetched_at AS fetched_at, l.key AS key
ORDER BY l.fetched_at DESC, l.question, l.ordering"""
CANDIDATES_THEN = """
UNWIND $names AS name MATCH (l:RgListing {repository: name}) WHERE l.kind = $kind
MATCH (l)-[:HAS_SNAPSHOT]->(s:RgSnapshot) WHERE s.fetched_at <= $as_of
RETURN s.id AS id, l.question AS question, l.ordering AS ordering, s.member_count AS member_count,
    s.total_count AS total_count, s.complete AS complete, s.fetched_at AS fetched_at, l.key AS key
ORDER BY s.fetched_at DESC, l.question, l.ordering"""
LISTINGS_WITH = """
MATCH (l:RgListing)-[:HAS_MEMBER]->(:RgResource {rg_id: $node_id}) MATCH (s:RgSnapshot {id: l.snapshot})
RETURN s.id AS id, l.repository AS repository, l.question AS question, l.ordering AS ordering,
    s.member_count AS member_count, s.total_count AS total_count, s.complete AS complete, l.fetched_at AS fetched_at
ORDER BY l.repository, l.question, l.ordering"""
LISTED_SINCE = """
UNWIND $names AS name MATCH (l:RgListing {repository: name}) WHERE l.question = $question
MATCH (l)-[:HAS_SNAPSHOT]->(s:RgSnapshot) RETURN min(s.fetched_at) AS since"""
SNAPSHOT = """
MATCH (l:RgListing)-[:HAS_SNAPSHOT]->(s:RgSnapshot {id: $id})
RETURN s.id AS id, l.repository AS repository, l.question AS question, l.ordering AS ordering,
    s.fetched_at AS fetched_at, s.total_count AS total_count, s.complete AS complete, s.member_count AS member_count,
    s.members AS members, s.states AS states"""
BY_POSITION = f"""
MATCH (s:RgSnapshot {{id: $id}}) WITH s.members[$first..$beyond] AS ids
UNWIND range(0, size(ids) - 1) AS position WITH position, ids[position] AS id
MATCH (n:RgResource {{rg_id: id}}) OPTIONAL MATCH (p:RgResource {{rg_id: n.repository_id}})
RETURN {ROW_COLUMNS}
ORDER BY position"""
CHOSEN = f"""
UNWIND range(0, size($ids) - 1) AS position WITH position, $ids[position] AS id
MATCH (n:RgResource {{rg_id: id}}) OPTIONAL MATCH (p:RgResource {{rg_id: n.repository_id}})
RETURN {ROW_COLUMNS}
ORDER BY position"""
MATCHING = """
MATCH (s:RgSnapshot {id: $id}) WITH s.members AS ids
UNWIND range(0, size(ids) - 1) AS position WITH position, ids[position] AS id
MATCH (n:RgResource {rg_id: id})
WHERE (size($states) = 0 OR n.state IN $states) AND all(word IN $words WHERE word IN n.words)
RETURN n.rg_id AS node_id, n.created_at AS created_at, n.updated_at AS updated_at, n.comment_count AS comments,
    n.number AS number ORDER BY position"""
CHAINS_THEN = """
UNWIND $ids AS id MATCH (n:RgResource {rg_id: id})-[:HAS_STATE]->(s:RgState) WHERE s.valid_from <= $as_of
RETURN n.rg_id AS node_id, n.state_id AS latest, n.updated_at AS updated_at, s.id AS id, s.valid_from AS valid_from"""
SNAPSHOT_MEMBERS = """
UNWIND $ids AS id MATCH (s:RgState {id: id}) RETURN s.id AS id, s.content AS content"""

# -- completion

NAMES_FROM = """
MATCH (m:RgName) WHERE m.name STARTS WITH $prefix MATCH (r:RgResource {rg_id: m.repository})
WHERE r.rg_key = $scheme + m.name
RETURN m.name AS name, r.state_id IS NOT NULL AS stored ORDER BY name LIMIT $most"""
NUMBERS_OF = """
MATCH (m:RgName {name: $name}) MATCH (p:RgResource {rg_id: m.repository})-[:HAS_ISSUE|HAS_PULL_REQUEST]->(r:RgResource)
WHERE r.state_id IS NOT NULL AND toString(r.number) STARTS WITH $digits
RETURN r.number AS number ORDER BY number LIMIT $most"""
BROWSE = """
MATCH (n:RgResource) WHERE n.state_id IS NOT NULL AND n.moved_to IS NULL AND n.updated_at <= $updated_at
    AND ($kind = '' OR n.kind = $kind) AND ($state = '' OR n.state = $state) AND ($label = '' OR $label IN n.words)
OPTIONAL MATCH (p:RgResource {rg_id: n.repository_id})
WITH n, coalesce(p.name, n.name) AS repository, coalesce(n.number, 0) AS number
WITH n, repository, number, toLower(repository) AS name
WHERE (size($names) = 0 OR name IN $names) AND (n.updated_at < $updated_at
    OR name < $name OR (name = $name AND number < $number))
RETURN n.kind AS kind, number, n.title AS title, n.state AS state, n.labels AS labels, n.author AS author,
    n.updated_at AS updated_at, n.fetched_at AS fetched_at, n.comment_count AS comments, repository
ORDER BY updated_at DESC, name DESC, number DESC LIMIT $most"""
REPOSITORY_COUNTS = """
MATCH (p:RgResource)-[:HAS_ISSUE|HAS_PULL_REQUEST]->(n:RgResource) WHERE n.state_id IS NOT NULL AND n.moved_to IS NULL
RETURN toLower(p.name) AS name, count(n) AS items ORDER BY items DESC, name"""
STATE_COUNTS = """
MATCH (n:RgResource) WHERE n.state_id IS NOT NULL AND n.moved_to IS NULL AND n.state <> ''
RETURN n.state AS value, count(n) AS items ORDER BY items DESC, value"""
LABEL_COUNTS = """
MATCH (n:RgResource) WHERE n.state_id IS NOT NULL AND n.moved_to IS NULL AND n.labels IS NOT NULL
UNWIND n.labels AS label
WITH toLower(label) AS folded, min(label) AS value, count(*) AS items
RETURN value, items ORDER BY items DESC, value LIMIT $most"""
LISTINGS_OF = """
MATCH (l:RgListing {repository: $name}) WHERE l.question STARTS WITH $prefix
RETURN DISTINCT l.question AS question ORDER BY question LIMIT $most"""
STATE_IDS = "MATCH (s:RgState) WHERE s.id STARTS WITH $prefix RETURN s.id AS id ORDER BY id LIMIT $most"
SNAPSHOT_IDS = "MATCH (s:RgSnapshot) WHERE s.id STARTS WITH $prefix RETURN s.id AS id ORDER BY id LIMIT $most"

# -- the whole

COUNT_RESOURCES = """
MATCH (n:RgResource) WHERE n.state_id IS NOT NULL
RETURN n.kind AS kind, count(n) AS n, sum(coalesce(n.comment_count, 0)) AS comments"""
COUNT_STATES = "MATCH (s:RgState) RETURN count(s) AS n"
COUNT_LISTINGS = "MATCH (l:RgListing) WHERE l.snapshot IS NOT NULL RETURN count(l) AS n"
RESOURCES_AFTER = f"""
MATCH (n:RgResource) WHERE n.rg_id > $last
RETURN {DUMPED_COLUMNS}
ORDER BY n.rg_id LIMIT $most"""
REPOSITORIES = f"""
MATCH (n:RgResource {{kind: 'repository'}})
RETURN {DUMPED_COLUMNS}
ORDER BY n.rg_id"""
NAMES_BELOW = """
UNWIND $ids AS id MATCH (:RgResource {rg_id: id})<-[:NAME_OF]-(m:RgName) RETURN id, m.name AS name ORDER BY name"""
TAKE_NAMES_BELOW = """
UNWIND $ids AS id MATCH (:RgResource {rg_id: id})<-[:NAME_OF]-(m:RgName) SET m.taken = true
RETURN id, m.name AS name"""
CHAINS = """
UNWIND $ids AS id MATCH (:RgResource {rg_id: id})-[:HAS_STATE]->(s:RgState)
RETURN id AS node_id, s.id AS id, s.valid_from AS valid_from, s.valid_until AS valid_until,
    s.recorded_at AS recorded_at, s.event_type AS event_type, s.cause AS cause ORDER BY s.valid_from"""
MOVES = """
MATCH (m:RgMove)
RETURN m.old AS old, m.new AS new, m.node_id AS node_id, m.old_node_id AS old_node_id ORDER BY old"""
LISTINGS = """
MATCH (l:RgListing) WHERE l.snapshot IS NOT NULL
RETURN l.key AS key, l.repository AS repository, l.question AS question, l.ordering AS ordering,
    l.fetched_at AS fetched_at ORDER BY repository, question, ordering"""
SNAPSHOTS_OF = """
MATCH (l:RgListing {key: $key})-[:HAS_SNAPSHOT]->(s:RgSnapshot)
RETURN s.id AS id, s.fetched_at AS fetched_at, s.total_count AS total_count, s.complete AS complete,
    s.members AS members, s.states AS states, s.times AS times
ORDER BY s.fetched_at, s.id = l.snapshot, s.id"""
SNAPSHOTS_KNOWN = "UNWIND $ids AS id MATCH (s:RgSnapshot {id: id}) RETURN s.id AS id"
DROP_CHAIN = """
MATCH (:RgResource {rg_id: $node_id})-[:HAS_STATE]->(:RgState)-[old:SUPERSEDED_BY]->(:RgState)
DELETE old"""

# -- forgetting

SNAPSHOTS_WITH = """
MATCH (l:RgListing)-[:HAS_SNAPSHOT]->(s:RgSnapshot) WHERE $id IN s.members
RETURN l.key AS key, l.snapshot = s.id AS current, s.id AS id, s.members AS members, s.states AS states,
    s.times AS times"""
SHRINK_SNAPSHOT = """
MATCH (s:RgSnapshot {id: $id})
SET s.members = $members, s.states = $states, s.times = $times, s.member_count = size($members),
    s.complete = false, s.sameness = ''"""
FORGET_COMMENTS = """
MATCH (:RgResource {rg_id: $id})-[:HAS_STATE]->(s:RgState) UNWIND s.comments AS comment
MATCH (c:RgComment {id: comment}) DETACH DELETE c"""
FORGET_STATES = "MATCH (:RgResource {rg_id: $id})-[:HAS_STATE]->(s:RgState) DETACH DELETE s"
HAS_ITEMS = """
MATCH (:RgResource {rg_id: $id})-[:HAS_ISSUE|HAS_PULL_REQUEST]->(i:RgResource) RETURN i.rg_id AS id LIMIT 1"""
STUB_RESOURCE = """
MATCH (n:RgResource {rg_id: $id})
SET n = {rg_id: n.rg_id, kind: n.kind, name: n.name, named_at: n.named_at, rg_key: n.rg_key, place: n.place}"""
LEAVE_LINKS = """
MATCH (n:RgResource {rg_id: $id})-[old:REFERENCES|CLOSES|AWAITS|MOVED_TO]-() DELETE old"""
FORGET_MOVES = "MATCH (m:RgMove) WHERE m.node_id = $id OR m.old_node_id = $id DELETE m"
FORGET_NAMES = "MATCH (:RgResource {rg_id: $id})<-[:NAME_OF]-(m:RgName) DETACH DELETE m"
FORGET_RESOURCE = "MATCH (n:RgResource {rg_id: $id}) DETACH DELETE n"
TIDY_AWAITED = "MATCH (w:RgAwaited) OPTIONAL MATCH (w)<-[a:AWAITS]-() WITH w, count(a) AS n WHERE n = 0 DELETE w"
FORGET_LISTING = """
UNWIND $names AS name MATCH (l:RgListing {repository: name}) WHERE l.question = $question
OPTIONAL MATCH (l)-[:HAS_SNAPSHOT]->(s:RgSnapshot) DETACH DELETE s, l"""
LISTINGS_ASKED = """
UNWIND $names AS name MATCH (l:RgListing {repository: name}) WHERE l.question = $question RETURN l.key AS key"""
SNAPSHOT_SIZE = "MATCH (s:RgSnapshot {id: $id}) RETURN s.member_count AS member_count"
ADDRESS_OF = "MATCH (n:RgResource {rg_id: $id}) RETURN n.rg_key AS address"
ADD_WORDINGS = "UNWIND $rows AS row MERGE (c:RgComment {id: row.id}) ON CREATE SET c:Comment, c += row"


def by_element(statement: str) -> str:
    """The name of the list whose elements a statement takes one by one, each for itself; "" if there is none."""
    for name in ("rows", "ids"):
        if statement.lstrip().startswith(f"UNWIND ${name} "):
            return name
    return ""
