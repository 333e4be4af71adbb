-- Counts over time: of one subject, or of all subjects whose names are between two.
--
-- Those of all go subject by subject, each read by its key and time, so that they cost what the span holds.

-- name: memories_counted
SELECT kind, state,
       CASE WHEN known_from >= ?5 THEN 0 WHEN known_from >= ?6 THEN 1 WHEN known_from >= ?7 THEN 2
            WHEN known_from >= ?8 THEN 3 WHEN known_from >= ?9 THEN 4 ELSE 5 END AS age,
       CASE WHEN known_from >= ?2 AND known_from < ?3 THEN known_from / ?4 END AS bucket,
       count(*)
  FROM memory
 WHERE subject = ?1
 GROUP BY 1, 2, 3, 4

-- name: all_memories_counted
SELECT m.kind, m.state,
       CASE WHEN m.known_from >= ?5 THEN 0 WHEN m.known_from >= ?6 THEN 1 WHEN m.known_from >= ?7 THEN 2
            WHEN m.known_from >= ?8 THEN 3 WHEN m.known_from >= ?9 THEN 4 ELSE 5 END AS age,
       CASE WHEN m.known_from >= ?2 AND m.known_from < ?3 THEN m.known_from / ?4 END AS bucket,
       count(*)
  FROM subject AS s
  JOIN memory AS m ON m.subject = s.key
 WHERE s.name > ?1 AND s.name < ?10
 GROUP BY 1, 2, 3, 4

-- name: said_counted
-- Nothing is said after it is known, so that what was known before the span is not looked at.
SELECT kind, said / ?4 AS bucket, count(*)
  FROM (SELECT m.kind, coalesce((SELECT min(e.said_at) FROM evidence AS e
                                  WHERE e.subject = ?1 AND e.memory = m.id), m.known_from) AS said
          FROM memory AS m
         WHERE m.subject = ?1 AND m.known_from >= ?2) AS dated
 WHERE said >= ?2 AND said < ?3
 GROUP BY 1, 2

-- name: all_said_counted
SELECT kind, said / ?4 AS bucket, count(*)
  FROM (SELECT m.kind, coalesce((SELECT min(e.said_at) FROM evidence AS e
                                  WHERE e.subject = m.subject AND e.memory = m.id), m.known_from) AS said
          FROM subject AS s
          JOIN memory AS m ON m.subject = s.key
         WHERE s.name > ?1 AND s.name < ?5 AND m.known_from >= ?2) AS dated
 WHERE said >= ?2 AND said < ?3
 GROUP BY 1, 2

-- name: decisions_counted
SELECT at / ?4 AS bucket, action, count(*)
  FROM decision
 WHERE subject = ?1 AND at >= ?2 AND at < ?3
 GROUP BY 1, 2

-- name: all_decisions_counted
SELECT d.at / ?4 AS bucket, d.action, count(*)
  FROM subject AS s
  JOIN decision AS d ON d.subject = s.key
 WHERE s.name > ?1 AND s.name < ?5 AND d.at >= ?2 AND d.at < ?3
 GROUP BY 1, 2

-- name: prompts_counted
SELECT at / ?4 AS bucket, count(*), sum(tokens), sum(replayed), count(CASE WHEN prefix = 'kept' THEN 1 END),
       count(CASE WHEN prefix IN ('changed', 'erased', 'lost') THEN 1 END)
  FROM recall
 WHERE subject = ?1 AND at >= ?2 AND at < ?3
 GROUP BY 1

-- name: all_prompts_counted
SELECT r.at / ?4 AS bucket, count(*), sum(r.tokens), sum(r.replayed), count(CASE WHEN r.prefix = 'kept' THEN 1 END),
       count(CASE WHEN r.prefix IN ('changed', 'erased', 'lost') THEN 1 END)
  FROM subject AS s
  JOIN recall AS r ON r.subject = s.key
 WHERE s.name > ?1 AND s.name < ?5 AND r.at >= ?2 AND r.at < ?3
 GROUP BY 1

-- name: spending_counted
SELECT day, purpose, sum(calls), sum(units), sum(tokens)
  FROM spending
 WHERE subject = ?1 AND day >= ?2 AND day < ?3
 GROUP BY day, purpose
 ORDER BY day, purpose

-- name: all_spending_counted
SELECT p.day, p.purpose, sum(p.calls), sum(p.units), sum(p.tokens)
  FROM subject AS s
  JOIN spending AS p ON p.subject = s.key
 WHERE s.name > ?1 AND s.name < ?4 AND p.day >= ?2 AND p.day < ?3
 GROUP BY p.day, p.purpose
 ORDER BY p.day, p.purpose

-- name: formations_counted
SELECT count(CASE WHEN parked = 0 AND due_at <= ?2 THEN 1 END),
       count(CASE WHEN parked = 0 AND due_at > ?2 THEN 1 END),
       count(CASE WHEN parked = 1 THEN 1 END)
  FROM formation
 WHERE subject = ?1

-- name: all_formations_counted
SELECT count(CASE WHEN f.parked = 0 AND f.due_at <= ?2 THEN 1 END),
       count(CASE WHEN f.parked = 0 AND f.due_at > ?2 THEN 1 END),
       count(CASE WHEN f.parked = 1 THEN 1 END)
  FROM subject AS s
  JOIN formation AS f ON f.subject = s.key
 WHERE s.name > ?1 AND s.name < ?3

-- name: health_counted
SELECT count(CASE WHEN state = 0 THEN 1 END),
       count(CASE WHEN state = 1 THEN 1 END),
       count(CASE WHEN state = 0 AND uses = 0 AND known_from <= ?2 THEN 1 END),
       count(CASE WHEN state = 0 AND kind = 0 AND known_from <= ?3 AND (last_used_at IS NULL OR last_used_at <= ?3)
                  THEN 1 END)
  FROM memory
 WHERE subject = ?1 AND kind < 3
