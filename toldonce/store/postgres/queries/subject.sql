-- Statements that PostgreSQL words differently.

-- name: sums
-- Memories with the quotations that are kept. The names of tenants' subjects begin with `@tenant/`.
SELECT (SELECT count(*) FROM memory WHERE kind < 3 AND state = 0)
       + (SELECT count(*) FROM memory WHERE kind = 3 AND importance >= 0.6 AND state = 0),
       (SELECT count(*) FROM subject
         WHERE ((name > 'app:' AND name < 'app;')
            OR (name > '@' AND name < 'A' AND substr(name, strpos(name, '/') + 1, 4) = 'app:'))),
       (SELECT count(*)
          FROM subject AS s
         WHERE ((s.name > 'app:' AND s.name < 'app;')
            OR (s.name > '@' AND s.name < 'A' AND substr(s.name, strpos(s.name, '/') + 1, 4) = 'app:'))
           AND EXISTS (SELECT 1 FROM memory AS m WHERE m.subject = s.key AND m.kind < 3 AND m.state = 0)),
       (SELECT count(*) FROM formation WHERE due_at <= ?1 AND parked = 0),
       (SELECT count(*) FROM formation WHERE parked = 1)

-- name: subject_sums
-- Only recalls whose answer is known: their items have four values.
WITH judged AS (
    SELECT CAST(items AS JSONB) AS items
      FROM recall
     WHERE subject = ?1 AND items <> '[]' AND jsonb_array_length(CAST(items AS JSONB) -> 0) = 4
)
SELECT (SELECT count(*) FROM memory WHERE subject = ?1 AND kind < 3 AND state = 0)
       + (SELECT count(*) FROM memory WHERE subject = ?1 AND kind = 3 AND importance >= 0.6 AND state = 0),
       (SELECT sum(jsonb_array_length(items)) FROM judged),
       (SELECT count(*) FROM judged, jsonb_array_elements(judged.items) AS item WHERE item ->> 3 = 'true')

-- name: turns_without_words
-- Turns from a subject's own log are counted in place; of those from other logs, the ones with words are subtracted.
WITH elsewhere AS MATERIALIZED (
    SELECT m.subject, m.id, e.home, e.conversation, e.seq
      FROM memory AS m
      JOIN evidence AS e ON e.subject = m.subject AND e.memory = m.id AND e.home <> m.subject
     WHERE m.kind = 3 AND m.state = 0
)
SELECT (SELECT count(*)
          FROM memory AS m
         WHERE m.kind = 3 AND m.state = 0
           AND NOT EXISTS (SELECT 1 FROM evidence AS e
                            WHERE e.subject = m.subject AND e.memory = m.id AND e.home <> m.subject)
           AND NOT EXISTS (SELECT 1
                             FROM evidence AS e
                             JOIN message AS s
                               ON s.subject = e.subject AND s.conversation = e.conversation AND s.seq = e.seq
                            WHERE e.subject = m.subject AND e.memory = m.id))
       + (SELECT count(DISTINCT (subject, id)) FROM elsewhere)
       - (SELECT count(DISTINCT (w.subject, w.id))
            FROM elsewhere AS w
            JOIN message AS s ON s.subject = w.home AND s.conversation = w.conversation AND s.seq = w.seq)
