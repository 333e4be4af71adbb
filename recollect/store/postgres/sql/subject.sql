-- What PostgreSQL says in other words.

-- name: sums
SELECT (SELECT count(*) FROM memory WHERE kind < 3 AND state = 0),
       (SELECT count(*) FROM subject WHERE name > 'app:' AND name < 'app;'),
       (SELECT count(*)
          FROM subject AS s
         WHERE s.name > 'app:' AND s.name < 'app;'
           AND EXISTS (SELECT 1 FROM memory AS m WHERE m.subject = s.key AND m.kind < 3 AND m.state = 0)),
       (SELECT count(*) FROM formation WHERE due_at <= ?1 AND parked = 0),
       (SELECT count(*) FROM formation WHERE parked = 1)

-- name: subject_sums
-- Of the recalls whose answer is known: their items have four values.
WITH judged AS (
    SELECT CAST(items AS JSONB) AS items
      FROM recall
     WHERE subject = ?1 AND items <> '[]' AND jsonb_array_length(CAST(items AS JSONB) -> 0) = 4
)
SELECT (SELECT count(*) FROM memory WHERE subject = ?1 AND kind < 3 AND state = 0),
       (SELECT sum(jsonb_array_length(items)) FROM judged),
       (SELECT count(*) FROM judged, jsonb_array_elements(judged.items) AS item WHERE item ->> 3 = 'true')
