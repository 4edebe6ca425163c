-- The asking user, the time, four declared numbers, and what narrows the question (NULL: it does not).
CREATE TEMP TABLE scope (user, since, until, tools_bytes, nudge_bytes, rework_bytes, stored,
    harness, agent_type, project, session);

-- Helpers, built once per question. A session belongs to the project of its latest recall or read.
CREATE TEMP TABLE chosen AS SELECT session FROM (SELECT session, project, max(at) FROM (
        SELECT session, project, at FROM recall_event WHERE user = (SELECT user FROM scope WHERE project IS NOT NULL)
        UNION ALL SELECT x.session, v.project, v.at FROM read_event v JOIN touches.touch x ON x.id = v.touch_id
            WHERE v.user = (SELECT user FROM scope WHERE project IS NOT NULL)) GROUP BY session)
    WHERE session <> '' AND project = (SELECT project FROM scope);
CREATE INDEX temp.chosen_session ON chosen (session);
CREATE TEMP TABLE r AS SELECT e.* FROM recall_event e, scope s
    WHERE e.user = s.user AND e.user <> '' AND e.at >= s.since AND e.at < s.until
    AND (s.harness IS NULL OR e.harness = s.harness) AND (s.agent_type IS NULL OR e.agent_type = s.agent_type)
    AND (s.session IS NULL OR e.session = s.session)
    AND (s.project IS NULL OR e.session IN (SELECT session FROM chosen) OR e.session = '' AND e.project = s.project);
CREATE TEMP TABLE t AS SELECT t.rowid AS n, t.* FROM touches.touch t, scope s
    WHERE t.user = s.user AND t.user <> '' AND t.at >= s.since AND t.at < s.until
    AND (s.harness IS NULL OR t.harness = s.harness) AND (s.agent_type IS NULL OR t.agent_type = s.agent_type)
    AND (s.session IS NULL OR t.session = s.session)
    AND (s.project IS NULL OR t.session IN (SELECT session FROM chosen) OR t.session = ''
        AND EXISTS (SELECT 1 FROM read_event v WHERE v.touch_id = t.id AND v.project = s.project));
CREATE INDEX temp.r_id ON r (id);
CREATE INDEX temp.r_session ON r (session);
CREATE INDEX temp.t_session ON t (session, address);
CREATE INDEX temp.t_address ON t (address);
CREATE INDEX temp.t_n ON t (n);
CREATE INDEX temp.t_id ON t (id);
CREATE TEMP TABLE shown AS SELECT c.*, r.at, r.session FROM r JOIN recall_candidate c ON c.recall_id = r.id
    WHERE c.position IS NOT NULL;
CREATE TEMP TABLE said AS SELECT c.kind, c.recall_id, c.touch_id, c.memory_id, c.address, c.session, c.harness, c.at,
        coalesce(r.at, t.at) AS served_at
    FROM citation_event c LEFT JOIN r ON r.id = c.recall_id LEFT JOIN t ON t.id = c.touch_id
    WHERE c.user = (SELECT user FROM scope) AND coalesce(r.at, t.at) IS NOT NULL;
CREATE INDEX temp.shown_session ON shown (session, memory_id);
CREATE INDEX temp.shown_memory ON shown (memory_id);
CREATE TEMP TABLE opened AS SELECT DISTINCT s.recall_id, s.memory_id FROM shown s JOIN t
    ON t.session = s.session AND t.session <> '' AND t.provenance = 'CACHE_READ' AND t.outcome IN ('hit', 'subsumed')
    AND t.address = s.address AND t.at >= s.at
    WHERE NOT EXISTS (SELECT 1 FROM shown l WHERE l.session = s.session AND l.memory_id = s.memory_id AND l.at <= t.at
        AND (l.at, l.recall_id) > (s.at, s.recall_id));
CREATE TEMP TABLE used AS SELECT recall_id, memory_id FROM said WHERE recall_id <> '' AND kind IN ('cited', 'saved_rework')
    UNION SELECT recall_id, memory_id FROM opened;
CREATE INDEX temp.said_recall ON said (recall_id);
CREATE INDEX temp.said_session ON said (session);
CREATE UNIQUE INDEX temp.used_recall ON used (recall_id, memory_id);
CREATE TEMP VIEW given AS SELECT g.*, (SELECT min(x.n) FROM t x WHERE x.session = g.session AND x.n > g.trigger
        AND (x.provenance = 'CACHE_READ' OR x.provenance = 'FETCHED'
            AND (g.cause = 'PROMPTED' OR strftime('%s', x.at) - strftime('%s', g.at) > 5)
            AND EXISTS (SELECT 1 FROM touches.nudged m WHERE m.session = x.session AND m.address = x.address
                AND m.at <= x.at))) AS next
    FROM (SELECT d.session, d.address, d.at, t.n AS trigger, t.provenance AS cause, t.harness
        FROM touches.nudged d JOIN t ON t.n = (SELECT x.n FROM t x WHERE x.session = d.session AND x.address = d.address
            AND x.provenance <> 'CACHE_READ' AND x.at <= d.at ORDER BY x.at DESC, x.n LIMIT 1)) g;
CREATE TEMP TABLE nudge AS SELECT g.*, CASE (SELECT provenance FROM t WHERE n = g.next) WHEN 'CACHE_READ' THEN 'followed'
    WHEN 'FETCHED' THEN 'fetched_anyway' ELSE 'no_more' END AS outcome FROM given g;
CREATE TEMP TABLE fetched AS SELECT DISTINCT session, address FROM touches.touch
    WHERE user = (SELECT user FROM scope) AND provenance = 'FETCHED'
    AND session IN (SELECT session FROM t UNION SELECT session FROM r);
CREATE INDEX temp.fetched_in ON fetched (session, address);
CREATE TEMP TABLE avoided AS SELECT session, address, max(floor_bytes) AS floor, max(json_bytes) AS json,
        max(requests) AS requests
    FROM (SELECT t.session, t.address, e.floor_bytes, e.json_bytes, e.requests
            FROM t JOIN read_event e ON e.touch_id = t.id WHERE t.outcome IN ('hit', 'subsumed')
        UNION ALL SELECT s.session, s.address, s.floor_bytes, s.json_bytes, s.requests FROM shown s
            JOIN said USING (recall_id, memory_id) WHERE said.kind IN ('cited', 'saved_rework')) x
    WHERE session <> '' AND NOT EXISTS (SELECT 1 FROM fetched f WHERE f.session = x.session AND f.address = x.address)
    GROUP BY session, address;
CREATE TEMP VIEW sessions AS SELECT session FROM t WHERE session <> '' UNION SELECT session FROM r WHERE session <> '';
CREATE INDEX temp.nudge_session ON nudge (session);
CREATE INDEX temp.avoided_session ON avoided (session);
CREATE TEMP VIEW leg AS SELECT column1 AS name FROM (VALUES ('vec'), ('lex'), ('graph'), ('temporal'));
-- What a leg added. The product fuses the rows of `to_fuse` again with recall.fusion.order, the function that recall itself uses: once as it was
-- (without = '') and once without each leg; the first `result_count` of each go into `placed`, place from 1, before a panel is asked.
CREATE TEMP VIEW to_fuse AS SELECT c.*, r.weights, r.rrf_k, r.half_life_days, r.query_class, r.result_count
    FROM r JOIN recall_candidate c ON c.recall_id = r.id
    WHERE r.id IN (SELECT id FROM r WHERE page = 1 AND id IN (SELECT recall_id FROM used) ORDER BY at DESC, id DESC LIMIT 2000);
CREATE TEMP TABLE placed (recall_id, without, memory_id, place, PRIMARY KEY (recall_id, without, memory_id)) WITHOUT ROWID;
-- What stands on `placed`: created when that is filled.
-- fused
CREATE TEMP TABLE unexplained AS SELECT DISTINCT f.recall_id FROM to_fuse f
    LEFT JOIN placed p ON p.recall_id = f.recall_id AND p.memory_id = f.memory_id AND p.without = '' WHERE f.position IS NOT p.place;
CREATE TEMP TABLE lift AS SELECT leg.name AS leg, f.recall_id, f.memory_id, f.position, p.place AS seen,
        1.0 / f.position - coalesce(1.0 / p.place, 0) AS gain
    FROM leg JOIN to_fuse f JOIN used u ON u.recall_id = f.recall_id AND u.memory_id = f.memory_id
    LEFT JOIN placed p ON p.recall_id = f.recall_id AND p.memory_id = f.memory_id AND p.without = leg.name
    WHERE f.position IS NOT NULL AND json_extract(f.weights, '$.' || leg.name) > 0 AND f.recall_id NOT IN (SELECT recall_id FROM unexplained);

