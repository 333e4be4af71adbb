-- Statements that PostgreSQL words differently.

-- name: from_same_messages text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT other.memory
                FROM evidence AS own
                JOIN evidence AS other
                  ON other.subject = own.subject AND other.conversation = own.conversation AND other.seq = own.seq
               WHERE own.subject = ?1
                 AND own.memory = ANY (ARRAY(
                         SELECT CASE WHEN value ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
                                     THEN decode(replace(value, '-', ''), 'hex') END
                           FROM json_array_elements_text(CAST(?2 AS JSON)) AS value)))
 ORDER BY id, place

-- name: last_recall
SELECT conversation, seq, at
  FROM recall
 WHERE subject = ?1 AND strpos(items, ?2) > 0
 ORDER BY at DESC, id DESC
 LIMIT 1
