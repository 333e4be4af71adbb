-- What PostgreSQL says in other words.

-- name: insertions_at
-- The list is a JSON array of numbers, and all but its brackets is an array of PostgreSQL's as well.
SELECT thread, chain, depth, id, at, standing, recalled, items, withdrawn, quotes_messages, sent_bytes, sent_hash, erased,
       held, is_answer, (SELECT name FROM subject WHERE key = ?1),
       EXISTS (SELECT 1 FROM insertion WHERE subject = ?1 AND masked = 1)
  FROM insertion
 WHERE subject = ?1 AND chain = ANY (CAST(translate(?2, '[]', '{}') AS BIGINT[]))

-- name: owner
SELECT name, version FROM subject WHERE key = ?1 FOR SHARE

-- name: is_lost
SELECT EXISTS (SELECT 1 FROM erasure WHERE subject = ?1 AND at > ?2)
       OR (SELECT count(*)
             FROM memory
            WHERE subject = ?1
              AND id = ANY (ARRAY(SELECT decode(replace(value, '-', ''), 'hex')
                                    FROM json_array_elements_text(CAST(?3 AS JSON)) AS value))) < ?4
       OR EXISTS (SELECT 1
                    FROM decision
                   WHERE subject = ?1 AND at >= ?5 AND action = 'close'
                     AND memory = ANY (ARRAY(SELECT decode(replace(value, '-', ''), 'hex')
                                               FROM json_array_elements_text(CAST(?3 AS JSON)) AS value)))

-- name: thread_state
SELECT EXISTS (SELECT 1
                 FROM insertion
                WHERE subject = ?1 AND thread = ?2 AND chain = ANY (CAST(translate(?3, '[]', '{}') AS BIGINT[]))),
       EXISTS (SELECT 1 FROM erased_message WHERE subject = ?1),
       EXISTS (SELECT 1 FROM insertion WHERE subject = ?1 AND masked = 1),
       (SELECT count(*) FROM insertion WHERE subject = ?1 AND thread = ?2 AND characters > 0),
       (SELECT coalesce(sum(characters), 0) FROM insertion WHERE subject = ?1 AND thread = ?2 AND characters > 0)
