-- The thread of a conversation, and which part of it episodes summarise.

-- Parents come before their children: the walk ends at the first message that is not after ?3.
-- name: path
WITH RECURSIVE up (seq, parent_seq) AS (
    SELECT leaf.seq, leaf.parent_seq
      FROM message AS leaf
     WHERE leaf.subject = ?1 AND leaf.conversation = ?2 AND leaf.seq > ?3
       AND leaf.seq = (SELECT last_seq FROM conversation WHERE subject = ?1 AND id = ?2)
     UNION ALL
    SELECT above.seq, above.parent_seq
      FROM up
     CROSS JOIN message AS above
        ON above.subject = ?1 AND above.conversation = ?2 AND above.seq = up.parent_seq
     WHERE up.parent_seq > ?3
)
SELECT seq, parent_seq, role, text, name, said_at, recorded_at, complete, hash, erased, zone
  FROM message
 WHERE subject = ?1 AND conversation = ?2 AND seq IN (SELECT seq FROM up)
 ORDER BY seq
 LIMIT ?4

-- Episodes have the tag of their conversation; decisions tell which ones an edit took back. The index is named because
-- SQLite otherwise reads all decisions of the subject for each episode.
-- name: spans matches: tag=2
SELECT m.id, m.state, m.detail
  FROM memory_tag AS t
  JOIN memory AS m ON m.subject = ?1 AND m.id = t.memory
 WHERE t.subject = ?1 AND t.tag = ?2 AND m.kind = 2
   AND NOT EXISTS (SELECT 1
                     FROM decision AS d INDEXED BY decision_memory
                    WHERE d.subject = ?1 AND d.memory = m.id AND d.action = 'abandon')
