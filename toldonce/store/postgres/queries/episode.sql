-- Statements that PostgreSQL words differently.

-- name: path
WITH RECURSIVE up (seq, parent_seq) AS (
    SELECT leaf.seq, leaf.parent_seq
      FROM message AS leaf
     WHERE leaf.subject = ?1 AND leaf.conversation = ?2 AND leaf.seq > ?3
       AND leaf.seq = (SELECT last_seq FROM conversation WHERE subject = ?1 AND id = ?2)
     UNION ALL
    SELECT above.seq, above.parent_seq
      FROM up
      JOIN message AS above
        ON above.subject = ?1 AND above.conversation = ?2 AND above.seq = up.parent_seq
     WHERE up.parent_seq > ?3
)
SELECT seq, parent_seq, role, text, name, said_at, recorded_at, complete, hash, erased, zone
  FROM message
 WHERE subject = ?1 AND conversation = ?2 AND seq IN (SELECT seq FROM up)
 ORDER BY seq
 LIMIT ?4
