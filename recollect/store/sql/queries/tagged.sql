-- Memories by the names under which they are listed, and by the conversation they were formed from.

-- name: tagged text: elsewhere matches: tag=2
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT m.id
                FROM memory_tag AS t
                JOIN memory AS m ON m.subject = ?1 AND m.id = t.memory
               WHERE t.subject = ?1 AND t.tag = ?2 AND t.memory < ?3 AND m.state <= ?4 AND (?5 & (1 << m.kind)) <> 0
               ORDER BY t.memory DESC
               LIMIT ?6)
 ORDER BY id DESC, place

-- name: formed_of text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT e.memory
                FROM evidence AS e
                JOIN memory AS m ON m.subject = ?1 AND m.id = e.memory
               WHERE e.home = ?2 AND e.conversation = ?3 AND e.subject = ?1 AND m.state < 2 AND m.kind < 3
               GROUP BY e.memory
               ORDER BY e.memory DESC
               LIMIT ?4)
 ORDER BY id DESC, place
