-- hit_rate
SELECT r.query_class AS class, count(*) AS recalls, sum(r.result_count = 0) AS empty,
    sum(EXISTS (SELECT 1 FROM said WHERE recall_id = r.id AND kind = 'cited')) AS cited,
    sum(EXISTS (SELECT 1 FROM used WHERE recall_id = r.id)) AS used
FROM r WHERE page = 1 GROUP BY 1 ORDER BY 1;
-- stale
WITH judged AS (SELECT date(served_at, 'weekday 0', '-6 days') AS week, recall_id || touch_id AS source, memory_id,
        max(kind IN ('flagged_stale', 'rewrote')) AS stale FROM said GROUP BY 1, 2, 3),
    checked AS (SELECT date(t.at, 'weekday 0', '-6 days') AS week, verdict FROM t JOIN read_event e ON e.touch_id = t.id
        WHERE t.outcome IN ('hit', 'subsumed') AND verdict IS NOT NULL),
    weeks AS (SELECT week FROM judged UNION SELECT week FROM checked)
SELECT week, (SELECT count(*) FROM judged j WHERE j.week = w.week) AS judged,
    (SELECT coalesce(sum(stale), 0) FROM judged j WHERE j.week = w.week) AS stale,
    (SELECT count(*) FROM checked c WHERE c.week = w.week) AS checked,
    (SELECT count(*) FROM checked c WHERE c.week = w.week AND verdict = 'stale') AS outdated
FROM weeks w ORDER BY week;
-- tokens
SELECT (SELECT coalesce(sum(payload_bytes), 0) FROM r) AS recalled,
    (SELECT coalesce(sum(payload_bytes), 0) FROM t JOIN read_event e ON e.touch_id = t.id) AS served,
    (SELECT count(*) FROM nudge) * nudge_bytes + (SELECT count(*) FROM sessions) * tools_bytes AS overhead,
    (SELECT coalesce(sum(floor), 0) FROM avoided) AS floor, (SELECT coalesce(sum(json), 0) FROM avoided) AS json,
    (SELECT count(*) FROM said WHERE kind = 'saved_rework') * rework_bytes AS rework,
    (SELECT coalesce(sum(requests), 0) FROM avoided) AS requests FROM scope;
-- agents
WITH who AS (SELECT harness, agent_type FROM r UNION SELECT harness, agent_type FROM t)
SELECT w.harness, iif(w.agent_type = '', 'main', w.agent_type) AS agent,
    (SELECT count(*) FROM r WHERE r.harness = w.harness AND r.agent_type = w.agent_type AND page = 1) AS recalls,
    (SELECT count(*) FROM r WHERE r.harness = w.harness AND r.agent_type = w.agent_type AND page = 1
        AND EXISTS (SELECT 1 FROM used u WHERE u.recall_id = r.id)) AS used,
    (SELECT count(*) FROM r WHERE r.harness = w.harness AND r.agent_type = w.agent_type AND page = 1
        AND EXISTS (SELECT 1 FROM said WHERE recall_id = r.id)) AS tagged,
    (SELECT count(*) FROM t WHERE t.harness = w.harness AND t.agent_type = w.agent_type AND provenance = 'CACHE_READ') AS reads,
    (SELECT count(*) FROM t WHERE t.harness = w.harness AND t.agent_type = w.agent_type
        AND outcome IN ('hit', 'subsumed')) AS hits,
    (SELECT count(*) FROM t WHERE t.harness = w.harness AND t.agent_type = w.agent_type AND provenance = 'FETCHED') AS fetched
FROM who w ORDER BY 1, 2;
-- top_cited
SELECT memory_id, min(address) AS address, count(*) AS cited, count(DISTINCT session) AS sessions, max(at) AS last
FROM said WHERE kind = 'cited' GROUP BY memory_id ORDER BY cited DESC, sessions DESC, last DESC, memory_id LIMIT 10;
-- never_cited
SELECT s.memory_id, min(s.address) AS address, count(DISTINCT s.recall_id) AS shown
FROM shown s WHERE s.memory_id NOT IN (SELECT memory_id FROM said WHERE kind IN ('cited', 'saved_rework'))
    AND s.memory_id NOT IN (SELECT memory_id FROM opened)
GROUP BY s.memory_id HAVING count(DISTINCT s.recall_id) >= 3 ORDER BY shown DESC, memory_id LIMIT 10;
-- unserved
SELECT max(0, stored - (SELECT count(*) FROM (SELECT memory_id FROM shown UNION
    SELECT e.memory_id FROM t JOIN read_event e ON e.touch_id = t.id WHERE t.outcome IN ('hit', 'subsumed')))) AS unserved FROM scope;
-- lift
SELECT leg.name AS leg, count(DISTINCT recall_id) AS recalls, count(memory_id) AS results,
    (SELECT avg(g) FROM (SELECT avg(gain) AS g FROM lift x WHERE x.leg = leg.name GROUP BY recall_id)) AS lift,
    coalesce(sum(position IS NOT NULL AND seen IS NULL), 0) AS only_with, coalesce(sum(seen > position), 0) AS better,
    coalesce(sum(seen = position), 0) AS same, coalesce(sum(seen < position), 0) AS worse
FROM leg LEFT JOIN lift ON lift.leg = leg.name GROUP BY 1 ORDER BY 1;
-- unexplained
SELECT count(*) AS recalls FROM unexplained;
-- reads
SELECT date(at, 'weekday 0', '-6 days') AS week, sum(outcome = 'hit') AS hit, sum(outcome = 'subsumed') AS subsumed,
    sum(outcome = 'miss') AS miss, sum(provenance = 'FETCHED') AS fetched, sum(provenance = 'PROMPTED') AS prompted
FROM t GROUP BY 1 ORDER BY 1;
-- nudges
SELECT harness, cause, count(*) AS given, sum(outcome = 'followed') AS followed,
    sum(outcome = 'fetched_anyway') AS fetched_anyway, sum(outcome = 'no_more') AS no_more
FROM nudge GROUP BY 1, 2 ORDER BY 1, 2;
-- missed
SELECT t.address, count(*) AS misses, max(t.at) AS last FROM t WHERE t.outcome = 'miss' AND t.address <> ''
    AND NOT EXISTS (SELECT 1 FROM t l WHERE l.address = t.address AND l.outcome IN ('hit', 'subsumed') AND l.n > t.n)
GROUP BY t.address ORDER BY misses DESC, last DESC, t.address LIMIT 10;
-- wraps
SELECT s.session, (SELECT min(at) FROM (SELECT at FROM t WHERE t.session = s.session UNION ALL SELECT at FROM r WHERE r.session = s.session)) AS started,
    (SELECT max(at) FROM (SELECT at FROM t WHERE t.session = s.session UNION ALL SELECT at FROM r WHERE r.session = s.session)) AS ended,
    (SELECT count(*) FROM r WHERE r.session = s.session AND page = 1) AS recalls,
    (SELECT count(*) FROM used u JOIN r ON r.id = u.recall_id WHERE r.session = s.session) AS used,
    (SELECT json_group_object(kind, n) FROM (SELECT kind, count(*) AS n FROM said WHERE said.session = s.session GROUP BY kind ORDER BY kind)) AS said,
    (SELECT count(*) FROM t WHERE t.session = s.session AND outcome IN ('hit', 'subsumed')) AS hits,
    (SELECT count(*) FROM t WHERE t.session = s.session AND outcome = 'miss') AS misses,
    (SELECT count(*) FROM t WHERE t.session = s.session AND provenance = 'FETCHED') AS fetched,
    (SELECT count(*) FROM nudge d WHERE d.session = s.session) AS nudges,
    (SELECT count(*) FROM nudge d WHERE d.session = s.session AND outcome = 'followed') AS followed,
    (SELECT coalesce(sum(requests), 0) FROM avoided a WHERE a.session = s.session) AS requests
FROM sessions s ORDER BY started, s.session;
