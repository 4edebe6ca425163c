"""Every Cypher statement of the Bolt engine. Values are always parameters; rows come as one list.

All of it runs unchanged on Neo4j 5 and later and on Memgraph: no subqueries, no pattern predicates or comprehensions,
no label expressions, no words of the language as property names in the text. Only the schema statements differ by
server (rg_core.store.bolt.schema).

Resources, States, Comments, Listings and Touches are the memory. Beside them, (:Name) is a name that a repository has
or had, (:Snapshot) an immutable answer of a Listing, (:Awaited) an address that something refers to and that is not
stored, (:Move) a former address, (:Lease) who works. `place` of a Resource is where it is whatever its repository is
called: the repository's node_id, and for an item "#" and its number after it.
"""

from __future__ import annotations

# -- columns that several statements return

HEAD_COLUMNS = """
    n.node_id AS node_id, n.kind AS kind, n.repository_id AS repository_id, n.place AS place, n.name AS name,
    n.named_at AS named_at, n.state_id AS state_id, n.deleted AS deleted, n.moved_to AS moved_to,
    n.updated_at AS updated_at, n.pushed_at AS pushed_at, n.fetched_at AS fetched_at, n.address AS address"""
ROW_COLUMNS = """n.node_id AS node_id, p.name AS repository, n.number AS number, n.title AS title, n.state AS state,
    n.labels AS labels, n.updated_at AS updated_at, n.comment_count AS comments, n.kind AS kind, n.author AS author"""
DUMPED_COLUMNS = """n.node_id AS node_id, n.kind AS kind, n.name AS name, n.named_at AS named_at,
    n.repository_id AS repository_id, n.number AS number, n.updated_at AS updated_at, n.pushed_at AS pushed_at,
    n.fetched_at AS fetched_at, n.deleted AS deleted, n.state_id AS state_id"""
STATE_COLUMNS = """s.id AS id, s.valid_from AS valid_from, s.valid_until AS valid_until,
    s.recorded_at AS recorded_at, s.content AS content, s.comments AS comments"""

# -- writing resources

# Locks nodes until the transaction ends, so that what is read after it is read alone; TAKE makes what is missing.
TAKE = "UNWIND $ids AS id MERGE (n:Resource {node_id: id}) ON MATCH SET n.taken = true"
TAKE_STORED = "UNWIND $ids AS id MATCH (n:Resource {node_id: id}) SET n.taken = true RETURN id"
TAKE_NAMES = "UNWIND $names AS name MERGE (m:Name {name: name}) ON MATCH SET m.taken = true"
HEADS = f"""
UNWIND $ids AS id MATCH (n:Resource {{node_id: id}})
RETURN {HEAD_COLUMNS}"""
PLACES = """
UNWIND $places AS place MATCH (n:Resource {place: place}) RETURN n.place AS place, n.node_id AS node_id"""
STATES_OF = """
UNWIND $ids AS id MATCH (s:State {id: id})
RETURN s.id AS id, s.valid_from AS valid_from, s.content AS content, s.comments AS comments"""
NAMES = """
UNWIND $names AS name MATCH (m:Name {name: name}) OPTIONAL MATCH (r:Resource {node_id: m.repository})
RETURN m.name AS name, m.repository AS repository, r.name AS bears, r.named_at AS named_at"""

DROP_NEW = "MATCH (n:Resource {node_id: $id}) WHERE n.place IS NULL DELETE n"
SET_NODE = "MATCH (n:Resource {node_id: $old}) SET n.node_id = $new"
SET_NAMES = """
UNWIND $rows AS row MATCH (n:Resource {node_id: row.node_id})
SET n:Repository, n.kind = 'repository', n.name = row.name, n.named_at = row.named_at, n.address = row.address,
    n.place = row.node_id"""
PUT_NAMES = """
UNWIND $rows AS row MATCH (n:Resource {node_id: row.repository})
MERGE (m:Name {name: row.name}) SET m.repository = row.repository
WITH m, n OPTIONAL MATCH (m)-[old:NAME_OF]->(other) WHERE other.node_id <> n.node_id DELETE old
WITH DISTINCT m, n MERGE (m)-[:NAME_OF]->(n)"""
RENAME_ITEMS = """
MATCH (n:Resource {node_id: $id})-[:HAS_ISSUE|HAS_PULL_REQUEST]->(i)
SET i.address = $address + '#' + toString(i.number), i.repository = $name"""
LEAVE_PARENT = """
UNWIND $ids AS id MATCH (:Resource)-[old:HAS_ISSUE|HAS_PULL_REQUEST]->(:Resource {node_id: id}) DELETE old"""
# A resource with its new State, and the wordings of its comments that are new. ADD_: there was nothing of it, so
# nothing is looked for. That makes a first fetch half as long again as the bare writing of its rows.
SET_REPOSITORIES = """
UNWIND $rows AS row MATCH (n:Resource {node_id: row.head.node_id})
SET n += row.head, n:Repository
CREATE (n)-[:HAS_STATE]->(s:State) SET s = row.state"""
_SET_ITEMS = """
UNWIND $rows AS row MATCH (n:Resource {node_id: row.head.node_id}) MATCH (p:Resource {node_id: row.head.repository_id})
SET n += row.head, n:Item MERGE (p)-[:HAS_ITEM]->(n)
CREATE (n)-[:HAS_STATE]->(s:State) SET s = row.state
FOREACH (new IN row.comments |
    MERGE (c:Comment {id: new.id}) ON CREATE SET c += new MERGE (n)-[:HAS_COMMENT]->(c))"""
_ADD_ITEMS = """
UNWIND $rows AS row MATCH (p:Resource {node_id: row.head.repository_id})
CREATE (p)-[:HAS_ITEM]->(n:Resource:Item) SET n = row.head
CREATE (n)-[:HAS_STATE]->(s:State) SET s = row.state
FOREACH (new IN row.comments | CREATE (n)-[:HAS_COMMENT]->(c:Comment) SET c = new)"""
SET_ISSUES = _SET_ITEMS.replace(":Item", ":Issue").replace("HAS_ITEM", "HAS_ISSUE")
ADD_ISSUES = _ADD_ITEMS.replace(":Item", ":Issue").replace("HAS_ITEM", "HAS_ISSUE")
SET_PULL_REQUESTS = _SET_ITEMS.replace(":Item", ":PullRequest").replace("HAS_ITEM", "HAS_PULL_REQUEST")
ADD_PULL_REQUESTS = _ADD_ITEMS.replace(":Item", ":PullRequest").replace("HAS_ITEM", "HAS_PULL_REQUEST")
ADD_STATES = """
UNWIND $rows AS row MATCH (n:Resource {node_id: row.node_id})
CREATE (n)-[:HAS_STATE]->(s:State) SET s = row.state"""
SUPERSEDE = """
UNWIND $rows AS row MATCH (old:State {id: row.old}) MATCH (new:State {id: row.new})
SET old.valid_until = row.until
CREATE (old)-[:SUPERSEDED_BY {event_type: row.event_type, at: row.until, cause: row.cause}]->(new)"""
LEAVE_COMMENTS = """
UNWIND $rows AS row MATCH (:Resource {node_id: row.item})-[old:HAS_COMMENT]->(c:Comment {id: row.id}) DELETE old"""
SET_FETCHED = """
UNWIND $rows AS row MATCH (n:Resource {node_id: row.node_id})
SET n.fetched_at = CASE WHEN n.fetched_at < row.fetched_at THEN row.fetched_at ELSE n.fetched_at END,
    n.updated_at = CASE WHEN n.updated_at < row.updated_at THEN row.updated_at ELSE n.updated_at END,
    n.pushed_at = CASE WHEN n.pushed_at < row.pushed_at THEN row.pushed_at ELSE n.pushed_at END"""
SET_DELETED = "MATCH (n:Resource {node_id: $id}) SET n.state_id = $state, n.deleted = true"

# -- references: an edge where both ends are stored, an Awaited address where one is not yet

LINKS_OF = """
UNWIND $ids AS id MATCH (n:Resource {node_id: id})-[old:REFERENCES|CLOSES|AWAITS]->() DELETE old"""
TARGETS = """
UNWIND $rows AS row MATCH (m:Name {name: row.name}) MATCH (n:Resource {place: m.repository + row.suffix})
WHERE n.state_id IS NOT NULL RETURN DISTINCT row.key AS key, n.node_id AS node_id"""
REFER = """
UNWIND $rows AS row MATCH (a:Resource {node_id: row.source}) MATCH (b:Resource {node_id: row.target})
MERGE (a)-[:REFERENCES]->(b)"""
CLOSE = """
UNWIND $rows AS row MATCH (a:Resource {node_id: row.source}) MATCH (b:Resource {node_id: row.target})
MERGE (a)-[:CLOSES]->(b)"""
AWAIT = """
UNWIND $rows AS row MATCH (a:Resource {node_id: row.source})
MERGE (w:Awaited {address: row.key}) SET w.repository = row.name MERGE (a)-[:AWAITS {type: row.type}]->(w)"""
AWAITED = """
UNWIND $keys AS key MATCH (x:Awaited {address: key}) WITH x MATCH (a:Resource)-[w:AWAITS]->(x)
RETURN a.node_id AS source, w.type AS type, x.address AS key"""
AWAITED_BELOW = """
UNWIND $names AS name MATCH (x:Awaited {repository: name}) WITH x MATCH (a:Resource)-[w:AWAITS]->(x)
RETURN a.node_id AS source, w.type AS type, x.address AS key"""
DROP_AWAITED = "UNWIND $keys AS key MATCH (x:Awaited {address: key}) DETACH DELETE x"
LINKS_TO = """
MATCH (a:Resource)-[l:REFERENCES|CLOSES]->(b:Resource {node_id: $id}) WHERE a.node_id <> b.node_id
RETURN a.node_id AS source, type(l) AS type"""

# -- moves

PUT_MOVE = """
MERGE (m:Move {old: $old})
SET m.new = $new, m.node_id = $node_id, m.old_node_id = coalesce($old_node_id, m.old_node_id)"""
MOVES_TO = """
UNWIND $ids AS id MATCH (m:Move {node_id: id})
RETURN m.node_id AS node_id, m.old AS old, m.old_node_id AS old_node_id"""
MOVE_ONWARD = "MATCH (m:Move {old_node_id: $id}) RETURN m.new AS new, m.node_id AS node_id LIMIT 1"
FIRST_STATE = """
MATCH (:Resource {node_id: $id})-[:HAS_STATE]->(s:State) RETURN s.id AS id, s.valid_from AS valid_from
ORDER BY s.valid_from LIMIT 1"""
MOVE_ON = """
MATCH (old:Resource {node_id: $old}) MATCH (new:Resource {node_id: $new})
SET old.moved_to = $new, new.moved_to = null MERGE (old)-[:MOVED_TO]->(new)
WITH new OPTIONAL MATCH (new)-[circle:MOVED_TO]->() DELETE circle"""
SET_EVENT = "MATCH (s:State {id: $id}) SET s.event_type = $event_type"

# -- listings

TAKE_LISTING = "MERGE (l:Listing {key: $key}) SET l.taken = true"
LISTING_HEAD = """
MATCH (l:Listing {key: $key}) OPTIONAL MATCH (s:Snapshot {id: l.snapshot})
RETURN l.fetched_at AS fetched_at, s.id AS id, s.sameness AS sameness, s.members AS members"""
MEMBER_FACTS = """
UNWIND $ids AS id MATCH (n:Resource {node_id: id}) WHERE n.state_id IS NOT NULL
OPTIONAL MATCH (p:Resource {node_id: n.repository_id})
RETURN n.node_id AS node_id, n.state_id AS state_id, n.number AS number, n.title AS title, n.state AS state,
    p.name AS repository"""
SET_LISTING = """
MATCH (l:Listing {key: $key}) SET l += $listing, l.taken = null
WITH l MATCH (m:Name {name: l.repository}) MATCH (p:Resource {node_id: m.repository}) MERGE (l)-[:LISTS_FROM]->(p)"""
LISTINGS_UNDER = """
MATCH (l:Listing {repository: $name}) WHERE l.snapshot IS NOT NULL
RETURN l.key AS key, l.question AS question, l.ordering AS ordering, l.fetched_at AS fetched_at"""
MOVE_LISTING = "MATCH (l:Listing {key: $old}) SET l.key = $key, l.address = $address, l.repository = $name"
DROP_LISTING = """
MATCH (l:Listing {key: $key}) OPTIONAL MATCH (l)-[:HAS_SNAPSHOT]->(s:Snapshot) DETACH DELETE l, s"""
ADD_SNAPSHOT = """
MATCH (l:Listing {key: $key}) CREATE (l)-[:HAS_SNAPSHOT]->(s:Snapshot) SET s = $snapshot"""
SET_TIMES = "MATCH (s:Snapshot {id: $id}) SET s.times = $times"
LEAVE_LISTING = """
UNWIND $ids AS id MATCH (:Listing {key: $key})-[old:HAS_MEMBER]->(:Resource {node_id: id}) DELETE old"""
PUT_MEMBERS = """
MATCH (l:Listing {key: $key}) UNWIND $rows AS row MATCH (n:Resource {node_id: row.node_id})
MERGE (l)-[m:HAS_MEMBER]->(n) SET m.position = row.position, m.fetched_at = row.fetched_at"""

# -- leases

TAKE_LEASE = "MERGE (l:Lease {name: $name}) SET l.taken = true"
SET_LEASE = """
MATCH (l:Lease {name: $name}) WHERE l.holder IS NULL OR l.holder = $holder OR l.until <= $now
SET l.holder = $holder, l.until = $until RETURN l.holder AS holder"""
RELEASE = "MATCH (l:Lease {name: $name}) WHERE l.holder = $holder DELETE l"

MOVED_TARGETS = """
UNWIND $keys AS key MATCH (m:Move {old: key}) MATCH (n:Resource {node_id: m.node_id})
WHERE n.state_id IS NOT NULL RETURN key, n.node_id AS node_id"""
LEAVE_MOVED = "UNWIND $ids AS id MATCH (:Resource {node_id: id})-[old:MOVED_TO]->() DELETE old"

# -- reading resources

HEAD_AT = """
MATCH (m:Name {name: $name}) MATCH (n:Resource {place: m.repository + $suffix})
RETURN n.node_id AS node_id, n.kind AS kind, n.repository_id AS repository_id, n.state_id AS state_id,
    n.moved_to AS moved_to, n.updated_at AS updated_at, n.pushed_at AS pushed_at, n.fetched_at AS fetched_at,
    n.address AS address, n.name AS name"""
STATE = f"""
MATCH (s:State {{id: $id}})
RETURN {STATE_COLUMNS}"""
STATE_THEN = f"""
MATCH (:Resource {{node_id: $node_id}})-[:HAS_STATE]->(s:State) WHERE s.valid_from <= $as_of
RETURN {STATE_COLUMNS}
ORDER BY s.valid_from DESC LIMIT 1"""
COMMENTS = "UNWIND $ids AS id MATCH (c:Comment {id: id}) RETURN c.id AS id, properties(c) AS comment"
REPOSITORY_NAME = "MATCH (p:Resource {node_id: $id}) RETURN p.name AS name"
PREDECESSORS = "MATCH (n:Resource)-[:MOVED_TO]->(:Resource {node_id: $id}) RETURN n.node_id AS node_id"
HISTORY = """
MATCH (:Resource {node_id: $node_id})-[:HAS_STATE]->(s:State)
RETURN s.id AS id, s.event_type AS event_type, s.valid_from AS valid_from, s.valid_until AS valid_until,
    s.recorded_at AS recorded_at, s.cause AS cause ORDER BY s.valid_from"""
NAMES_OF = """
MATCH (:Name {name: $name})-[:NAME_OF]->(p:Resource) MATCH (p)<-[:NAME_OF]-(m:Name) RETURN m.name AS name"""
MOVED = "MATCH (m:Move {old: $old}) RETURN m.new AS new, m.node_id AS node_id"
LINKS_FROM = """
MATCH (:Resource {node_id: $id})-[l:REFERENCES|CLOSES]->(n:Resource) RETURN type(l) AS type, n.node_id AS node_id"""

# -- reading listings

LISTINGS_AT = """
UNWIND $keys AS key MATCH (l:Listing {key: key}) MATCH (s:Snapshot {id: l.snapshot})
RETURN s.id AS id, l.question AS question, l.ordering AS ordering, s.member_count AS member_count,
    s.total_count AS total_count, s.complete AS complete, l.fetched_at AS fetched_at, s.members AS members,
    s.times AS times
ORDER BY l.fetched_at DESC LIMIT 1"""
CANDIDATES = """
UNWIND $names AS name MATCH (l:Listing {repository: name}) WHERE l.kind = $kind MATCH (s:Snapshot {id: l.snapshot})
RETURN s.id AS id, l.question AS question, l.ordering AS ordering, s.member_count AS member_count,
    s.total_count AS total_count, s.complete AS complete, l.fetched_at AS fetched_at, l.key AS key
ORDER BY l.fetched_at DESC, l.question, l.ordering"""
CANDIDATES_THEN = """
UNWIND $names AS name MATCH (l:Listing {repository: name}) WHERE l.kind = $kind
MATCH (l)-[:HAS_SNAPSHOT]->(s:Snapshot) WHERE s.fetched_at <= $as_of
RETURN s.id AS id, l.question AS question, l.ordering AS ordering, s.member_count AS member_count,
    s.total_count AS total_count, s.complete AS complete, s.fetched_at AS fetched_at, l.key AS key
ORDER BY s.fetched_at DESC, l.question, l.ordering"""
LISTINGS_WITH = """
MATCH (l:Listing)-[:HAS_MEMBER]->(:Resource {node_id: $node_id}) MATCH (s:Snapshot {id: l.snapshot})
RETURN s.id AS id, l.repository AS repository, l.question AS question, l.ordering AS ordering,
    s.member_count AS member_count, s.total_count AS total_count, s.complete AS complete, l.fetched_at AS fetched_at
ORDER BY l.repository, l.question, l.ordering"""
LISTED_SINCE = """
UNWIND $names AS name MATCH (l:Listing {repository: name}) WHERE l.question = $question
MATCH (l)-[:HAS_SNAPSHOT]->(s:Snapshot) RETURN min(s.fetched_at) AS since"""
SNAPSHOT = """
MATCH (l:Listing)-[:HAS_SNAPSHOT]->(s:Snapshot {id: $id})
RETURN s.id AS id, l.repository AS repository, l.question AS question, l.ordering AS ordering,
    s.fetched_at AS fetched_at, s.total_count AS total_count, s.complete AS complete, s.member_count AS member_count,
    s.members AS members, s.states AS states"""
BY_POSITION = f"""
MATCH (s:Snapshot {{id: $id}}) WITH s.members[$first..$beyond] AS ids
UNWIND range(0, size(ids) - 1) AS position WITH position, ids[position] AS id
MATCH (n:Resource {{node_id: id}}) OPTIONAL MATCH (p:Resource {{node_id: n.repository_id}})
RETURN {ROW_COLUMNS}
ORDER BY position"""
CHOSEN = f"""
UNWIND range(0, size($ids) - 1) AS position WITH position, $ids[position] AS id
MATCH (n:Resource {{node_id: id}}) OPTIONAL MATCH (p:Resource {{node_id: n.repository_id}})
RETURN {ROW_COLUMNS}
ORDER BY position"""
MATCHING = """
MATCH (s:Snapshot {id: $id}) WITH s.members AS ids
UNWIND range(0, size(ids) - 1) AS position WITH position, ids[position] AS id
MATCH (n:Resource {node_id: id})
WHERE (size($states) = 0 OR n.state IN $states) AND all(word IN $words WHERE word IN n.words)
RETURN n.node_id AS node_id, n.created_at AS created_at, n.updated_at AS updated_at, n.comment_count AS comments,
    n.number AS number ORDER BY position"""
CHAINS_THEN = """
UNWIND $ids AS id MATCH (n:Resource {node_id: id})-[:HAS_STATE]->(s:State) WHERE s.valid_from <= $as_of
RETURN n.node_id AS node_id, n.state_id AS latest, n.updated_at AS updated_at, s.id AS id, s.valid_from AS valid_from"""
SNAPSHOT_MEMBERS = """
UNWIND $ids AS id MATCH (s:State {id: id}) RETURN s.id AS id, s.content AS content"""

# -- completion

NAMES_FROM = """
MATCH (m:Name) WHERE m.name STARTS WITH $prefix MATCH (r:Resource {node_id: m.repository})
WHERE r.address = $scheme + m.name
RETURN m.name AS name, r.state_id IS NOT NULL AS stored ORDER BY name LIMIT $most"""
NUMBERS_OF = """
MATCH (m:Name {name: $name}) MATCH (p:Resource {node_id: m.repository})-[:HAS_ISSUE|HAS_PULL_REQUEST]->(r:Resource)
WHERE r.state_id IS NOT NULL AND toString(r.number) STARTS WITH $digits
RETURN r.number AS number ORDER BY number LIMIT $most"""
BROWSE = """
MATCH (n:Resource) WHERE n.state_id IS NOT NULL AND n.moved_to IS NULL AND n.updated_at <= $updated_at
    AND ($kind = '' OR n.kind = $kind) AND ($state = '' OR n.state = $state) AND ($label = '' OR $label IN n.words)
OPTIONAL MATCH (p:Resource {node_id: n.repository_id})
WITH n, coalesce(p.name, n.name) AS repository, coalesce(n.number, 0) AS number
WITH n, repository, number, toLower(repository) AS name
WHERE (size($names) = 0 OR name IN $names) AND (n.updated_at < $updated_at
    OR name < $name OR (name = $name AND number < $number))
RETURN n.kind AS kind, number, n.title AS title, n.state AS state, n.labels AS labels, n.author AS author,
    n.updated_at AS updated_at, n.fetched_at AS fetched_at, n.comment_count AS comments, repository
ORDER BY updated_at DESC, name DESC, number DESC LIMIT $most"""
REPOSITORY_COUNTS = """
MATCH (p:Repository)-[:HAS_ISSUE|HAS_PULL_REQUEST]->(n:Resource) WHERE n.state_id IS NOT NULL AND n.moved_to IS NULL
RETURN toLower(p.name) AS name, count(n) AS items ORDER BY items DESC, name"""
LISTINGS_OF = """
MATCH (l:Listing {repository: $name}) WHERE l.question STARTS WITH $prefix
RETURN DISTINCT l.question AS question ORDER BY question LIMIT $most"""
STATE_IDS = "MATCH (s:State) WHERE s.id STARTS WITH $prefix RETURN s.id AS id ORDER BY id LIMIT $most"
SNAPSHOT_IDS = "MATCH (s:Snapshot) WHERE s.id STARTS WITH $prefix RETURN s.id AS id ORDER BY id LIMIT $most"

# -- the whole

COUNT_REPOSITORIES = "MATCH (n:Repository) WHERE n.state_id IS NOT NULL RETURN count(n) AS n"
COUNT_ISSUES = "MATCH (n:Issue) WHERE n.state_id IS NOT NULL RETURN count(n) AS n, sum(n.comment_count) AS comments"
COUNT_PULL_REQUESTS = """
MATCH (n:PullRequest) WHERE n.state_id IS NOT NULL RETURN count(n) AS n, sum(n.comment_count) AS comments"""
COUNT_STATES = "MATCH (s:State) RETURN count(s) AS n"
COUNT_LISTINGS = "MATCH (l:Listing) WHERE l.snapshot IS NOT NULL RETURN count(l) AS n"
RESOURCES_AFTER = f"""
MATCH (n:Resource) WHERE n.node_id > $last
RETURN {DUMPED_COLUMNS}
ORDER BY n.node_id LIMIT $most"""
REPOSITORIES = f"""
MATCH (n:Repository)
RETURN {DUMPED_COLUMNS}
ORDER BY n.node_id"""
NAMES_BELOW = """
UNWIND $ids AS id MATCH (:Resource {node_id: id})<-[:NAME_OF]-(m:Name) RETURN id, m.name AS name ORDER BY name"""
TAKE_NAMES_BELOW = """
UNWIND $ids AS id MATCH (:Resource {node_id: id})<-[:NAME_OF]-(m:Name) SET m.taken = true
RETURN id, m.name AS name"""
CHAINS = """
UNWIND $ids AS id MATCH (:Resource {node_id: id})-[:HAS_STATE]->(s:State)
RETURN id AS node_id, s.id AS id, s.valid_from AS valid_from, s.valid_until AS valid_until,
    s.recorded_at AS recorded_at, s.event_type AS event_type, s.cause AS cause ORDER BY s.valid_from"""
MOVES = (
    "MATCH (m:Move) RETURN m.old AS old, m.new AS new, m.node_id AS node_id, m.old_node_id AS old_node_id ORDER BY old"
)
LISTINGS = """
MATCH (l:Listing) WHERE l.snapshot IS NOT NULL
RETURN l.key AS key, l.repository AS repository, l.question AS question, l.ordering AS ordering,
    l.fetched_at AS fetched_at ORDER BY key"""
SNAPSHOTS_OF = """
MATCH (:Listing {key: $key})-[:HAS_SNAPSHOT]->(s:Snapshot)
RETURN s.id AS id, s.fetched_at AS fetched_at, s.total_count AS total_count, s.complete AS complete,
    s.members AS members, s.states AS states, s.times AS times ORDER BY s.fetched_at"""
SNAPSHOTS_KNOWN = "UNWIND $ids AS id MATCH (s:Snapshot {id: id}) RETURN s.id AS id"
DROP_CHAIN = """
MATCH (:Resource {node_id: $node_id})-[:HAS_STATE]->(:State)-[old:SUPERSEDED_BY]->(:State)
DELETE old"""

# -- forgetting

SNAPSHOTS_WITH = """
MATCH (l:Listing)-[:HAS_SNAPSHOT]->(s:Snapshot) WHERE $id IN s.members
RETURN l.key AS key, l.snapshot = s.id AS current, s.id AS id, s.members AS members, s.states AS states,
    s.times AS times"""
SHRINK_SNAPSHOT = """
MATCH (s:Snapshot {id: $id})
SET s.members = $members, s.states = $states, s.times = $times, s.member_count = size($members),
    s.complete = false, s.sameness = ''"""
FORGET_COMMENTS = """
MATCH (:Resource {node_id: $id})-[:HAS_STATE]->(s:State) UNWIND s.comments AS comment
MATCH (c:Comment {id: comment}) DETACH DELETE c"""
FORGET_STATES = "MATCH (:Resource {node_id: $id})-[:HAS_STATE]->(s:State) DETACH DELETE s"
HAS_ITEMS = """
MATCH (:Resource {node_id: $id})-[:HAS_ISSUE|HAS_PULL_REQUEST]->(i:Resource) RETURN i.node_id AS id LIMIT 1"""
STUB_RESOURCE = """
MATCH (n:Resource {node_id: $id})
SET n = {node_id: n.node_id, kind: n.kind, name: n.name, named_at: n.named_at, address: n.address, place: n.place}"""
LEAVE_LINKS = """
MATCH (n:Resource {node_id: $id})-[old:REFERENCES|CLOSES|AWAITS|MOVED_TO]-() DELETE old"""
FORGET_MOVES = "MATCH (m:Move) WHERE m.node_id = $id OR m.old_node_id = $id DELETE m"
FORGET_NAMES = "MATCH (:Resource {node_id: $id})<-[:NAME_OF]-(m:Name) DETACH DELETE m"
FORGET_RESOURCE = "MATCH (n:Resource {node_id: $id}) DETACH DELETE n"
TIDY_AWAITED = "MATCH (w:Awaited) OPTIONAL MATCH (w)<-[a:AWAITS]-() WITH w, count(a) AS n WHERE n = 0 DELETE w"
FORGET_LISTING = """
UNWIND $names AS name MATCH (l:Listing {repository: name}) WHERE l.question = $question
OPTIONAL MATCH (l)-[:HAS_SNAPSHOT]->(s:Snapshot) DETACH DELETE s, l"""
LISTINGS_ASKED = """
UNWIND $names AS name MATCH (l:Listing {repository: name}) WHERE l.question = $question RETURN l.key AS key"""
SNAPSHOT_SIZE = "MATCH (s:Snapshot {id: $id}) RETURN s.member_count AS member_count"
ADDRESS_OF = "MATCH (n:Resource {node_id: $id}) RETURN n.address AS address"
ADD_WORDINGS = "UNWIND $rows AS row MERGE (c:Comment {id: row.id}) ON CREATE SET c += row"

# -- Touches: every statement names the one user it is for

# A Touch is unique by its user and its id, so nobody meets another's; so is a Session, which is not actions-graph's
# (:Session {session_id}): that package creates its own and fails where one is. A later attempt goes over an earlier.
TAKE_USER = "MERGE (u:User {user_id: $user}) SET u.taken = true"  # whoever stores or forgets Touches of one user
PUT_TOUCHES = """
MERGE (u:User {user_id: $user})
WITH u UNWIND $rows AS row
MERGE (t:Touch {key: row.key}) ON CREATE SET t += row.touch
WITH u, t, row WHERE t.user = $user AND t.attempts <= row.touch.attempts
SET t.address = row.touch.address, t.status = row.touch.status, t.reason = row.touch.reason,
    t.attempts = row.touch.attempts
WITH u, t, row WHERE row.touch.session <> ''
MERGE (s:Session {key: $user + ' ' + row.touch.session}) ON CREATE SET s.session = row.touch.session
MERGE (u)-[:HAD_SESSION]->(s)
MERGE (t)-[:IN_SESSION]->(s)"""
TOUCHED_RESOURCES = """
UNWIND $rows AS row MATCH (t:Touch {key: row.key}) MATCH (n:Resource {node_id: row.node_id})
MERGE (t)-[:TOUCHED]->(n)"""
TOUCHED_LISTINGS = """
UNWIND $rows AS row MATCH (t:Touch {key: row.key}) MATCH (l:Listing {key: row.listing})
MERGE (t)-[:TOUCHED]->(l)"""
UNTOUCH = """
UNWIND $rows AS row MATCH (t:Touch {key: row.key})-[old:TOUCHED]->() WHERE t.address = '' DELETE old"""
TOUCHES = """
MATCH (t:Touch {user: $user})
WHERE ($address IS NULL OR t.address = $address) AND ($session IS NULL OR t.session = $session)
    AND ($since IS NULL OR t.at >= $since)
RETURN properties(t) AS touch ORDER BY t.at DESC, t.id DESC LIMIT $most"""
FORGET_TOUCHES = """
MATCH (t:Touch {user: $user})
WHERE ($address IS NULL OR t.address = $address) AND ($session IS NULL OR t.session = $session)
WITH t LIMIT $most DETACH DELETE t RETURN count(*) AS n"""
LEAVE_SESSIONS = """
MATCH (u:User {user_id: $user})-[h:HAD_SESSION]->(s:Session)
OPTIONAL MATCH (s)<-[:IN_SESSION]-(t:Touch {user: $user}) WITH s, h, count(t) AS mine WHERE mine = 0 DELETE h
WITH s OPTIONAL MATCH (s)-[edge]-() WITH s, count(edge) AS others WHERE others = 0 DELETE s"""
LEAVE_USER = """
MATCH (u:User {user_id: $user}) OPTIONAL MATCH (u)-[edge]-()
WITH u, count(edge) AS others WHERE others = 0 AND size(keys(u)) <= 2 AND u.taken DELETE u"""

# Soft joins to what actions-graph keeps in the same database. What it has not written yet is joined by a later run.
JOIN_CALLS = """
MATCH (t:Touch {user: $user}) WHERE t.tool_use_id <> '' AND t.joined_call IS NULL
MATCH (c:ToolCall {tool_use_id: t.tool_use_id})
MERGE (t)-[:CAUSED_BY]->(c) SET t.joined_call = true RETURN count(*) AS n"""
JOIN_ACTIONS = """
MATCH (t:Touch {user: $user}) WHERE t.tool_use_id <> '' AND t.joined_call IS NULL
MATCH (c:Action {tool_use_id: t.tool_use_id}) WHERE c.action_type = 'tool_call'
MERGE (t)-[:CAUSED_BY]->(c) SET t.joined_call = true RETURN count(*) AS n"""
JOIN_AGENTS = """
MATCH (t:Touch {user: $user}) WHERE t.agent <> '' AND t.joined_agent IS NULL
MATCH (a:Agent {agent_id: t.agent})
MERGE (t)-[:BY_AGENT]->(a) SET t.joined_agent = true RETURN count(*) AS n"""


def by_element(statement: str) -> str:
    """The name of the list whose elements a statement takes one by one, each for itself; "" if there is none."""
    for name in ("rows", "ids"):
        if statement.lstrip().startswith(f"UNWIND ${name} "):
            return name
    return ""
