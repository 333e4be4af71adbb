-- Statements that PostgreSQL words differently.

-- name: note_options
UPDATE conversation SET options = ?3 WHERE subject = ?1 AND id = ?2 AND options IS DISTINCT FROM ?3

-- name: grow_conversation
UPDATE conversation SET last_seq = ?3, updated_at = greatest(updated_at, ?4) WHERE subject = ?1 AND id = ?2

-- name: abandoned
WITH RECURSIVE gone (seq) AS (
    SELECT old.seq
      FROM message AS old
     WHERE old.subject = ?1 AND old.conversation = ?2 AND old.role = 'user'
       AND EXISTS (SELECT 1
                     FROM message AS new
                    WHERE new.subject = ?1 AND new.conversation = ?2 AND new.parent_seq = old.parent_seq
                      AND new.seq > old.seq AND new.role = 'user')
     UNION
    SELECT below.seq
      FROM gone
      JOIN message AS below
        ON below.subject = ?1 AND below.conversation = ?2 AND below.parent_seq = gone.seq
)
SELECT seq FROM gone
