"""Every Cypher statement about Touches; rules as in rg_core.store.bolt.cypher. Each names the one user it is for.

A Touch is unique by its user and its id, so nobody meets another's. (:Session {session_id}) is shared by all programs
of the family: any may make it, none owns it, and one that was forgotten is not made again. (:User) and HAD_SESSION are
others': a Touch comes to its User through the Session, and nothing is written there.
"""

from __future__ import annotations

LOCK = "MERGE (l:RgLease {name: $name}) SET l.taken = true"  # whoever stores or forgets Touches of one user
LEAVE = "MATCH (l:RgLease {name: $name}) DELETE l"
PUT = """
UNWIND $rows AS row
MERGE (t:RgTouch {key: row.key}) ON CREATE SET t:Touch, t += row.touch, t.awaits = $user, t.put_at = $now
WITH t, row WHERE t.user = $user AND t.attempts <= row.touch.attempts
SET t.address = row.touch.address, t.status = row.touch.status, t.reason = row.touch.reason,
    t.attempts = row.touch.attempts
WITH t, row WHERE row.touch.session <> ''
OPTIONAL MATCH (f:ForgottenSession {session_id: row.touch.session})
WITH t, row, f WHERE f IS NULL
MERGE (s:Session {session_id: row.touch.session}) ON CREATE SET s:RgSession
MERGE (t)-[:IN_SESSION]->(s)"""
TOUCHED_RESOURCES = """
UNWIND $rows AS row MATCH (t:RgTouch {key: row.key}) MATCH (n:RgResource {rg_id: row.node_id})
MERGE (t)-[:TOUCHED]->(n)"""
TOUCHED_LISTINGS = """
UNWIND $rows AS row MATCH (t:RgTouch {key: row.key}) MATCH (l:RgListing {key: row.listing})
MERGE (t)-[:TOUCHED]->(l)"""
TAKE_BACK = "UNWIND $keys AS key MATCH (t:RgTouch {key: key}) DETACH DELETE t"
SELECT = """
MATCH (t:RgTouch {user: $user})
WHERE ($address IS NULL OR t.address = $address) AND ($session IS NULL OR t.session = $session)
    AND ($since IS NULL OR t.at >= $since)
RETURN properties(t) AS touch ORDER BY t.at DESC, t.id DESC LIMIT $most"""
FORGET = """
MATCH (t:RgTouch {user: $user})
WHERE ($address IS NULL OR t.address = $address) AND ($session IS NULL OR t.session = $session)
WITH t LIMIT $most OPTIONAL MATCH (t)-[:IN_SESSION]->(s:RgSession) WITH t, collect(s.session_id) AS sessions
DETACH DELETE t RETURN sessions"""
# A Session that we made and that nobody else has used since.
LEAVE_SESSIONS = """
UNWIND $ids AS id MATCH (s:Session:RgSession {session_id: id}) OPTIONAL MATCH (s)-[edge]-()
WITH s, count(edge) AS others WHERE others = 0 AND size(keys(s)) = 1 DELETE s"""
RENAME = """
MATCH (t:RgTouch {user: $former}) WITH t LIMIT $most
OPTIONAL MATCH (twin:RgTouch {key: $user + ' ' + t.id})
FOREACH (found IN CASE WHEN twin IS NULL THEN [] ELSE [t] END | DETACH DELETE found)
FOREACH (found IN CASE WHEN twin IS NULL THEN [t] ELSE [] END |
    SET found.user = $user, found.key = $user + ' ' + found.id,
        found.awaits = CASE WHEN found.awaits IS NULL THEN null ELSE $user END)
RETURN count(*) AS n"""

# Soft joins to what other programs of the family keep in the same database. What they have not written yet is joined by
# a later run; a Touch awaits it for a day, so that what a run looks at does not grow.
AWAITING = "MATCH (t:RgTouch {awaits: $user}) RETURN t.key AS key LIMIT $most"
MOVE_SESSIONS = """
UNWIND $keys AS key MATCH (t:RgTouch {key: key})-[:IN_SESSION]->(s:RgSession)
WITH DISTINCT s WHERE size(keys(s)) = 1
MATCH (theirs:Session {session_id: s.session_id}) WHERE NOT theirs:RgSession
MATCH (x:RgTouch)-[:IN_SESSION]->(s) MERGE (x)-[:IN_SESSION]->(theirs)
WITH DISTINCT s DETACH DELETE s"""
_JOIN_CALLS = """
UNWIND $keys AS key MATCH (t:RgTouch {key: key}) WHERE t.tool_use_id <> '' AND t.caused IS NULL
MATCH (c:Action {tool_use_id: t.tool_use_id}) WHERE c:ToolCall OR c.action_type = 'tool_call'
OPTIONAL MATCH (s:Session {session_id: t.session})-[:HAS_ACTION|HAS_AGENT*1..2]->(c)
WITH DISTINCT t, c, s WHERE s IS NOT NULL OR c.session_id = t.session
MERGE (t)-[:CAUSED_BY]->(c) SET t.caused = true RETURN count(*) AS n"""
JOIN_ACTIONS = _JOIN_CALLS
JOIN_CALLS = _JOIN_CALLS.replace("c:Action", "c:ToolCall")
JOIN_AGENTS = """
UNWIND $keys AS key MATCH (t:RgTouch {key: key}) WHERE t.agent <> '' AND t.by_agent IS NULL
MATCH (a:Agent {agent_id: t.agent}) OPTIONAL MATCH (s:Session {session_id: t.session})-[:HAS_AGENT]->(a)
WITH DISTINCT t, a, s WHERE s IS NOT NULL OR a.session_id = t.session
MERGE (t)-[:BY_AGENT]->(a) SET t.by_agent = true RETURN count(*) AS n"""
AWAIT_NO_MORE = """
UNWIND $keys AS key MATCH (t:RgTouch {key: key})
WHERE t.put_at < $before OR ((t.tool_use_id = '' OR t.caused) AND (t.agent = '' OR t.by_agent)) SET t.awaits = null"""
