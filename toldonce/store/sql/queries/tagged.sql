-- Memories by the names under which they are listed, and by the conversation they were formed from.

-- name: tagged text: elsewhere matches: tag=2
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT m.id
                FROM memory_tag AS t
                JOIN memory AS m ON m.subject = ?1 AND m.id = t.memory
               WHERE t.subject = ?1 AND t.tag = ?2 AND t.memory < ?3 AND m.state <= ?4 AND (?5 & CASE WHEN m.kind = 3 AND m.importance >= 0.6 THEN 24 ELSE 1 << m.kind END) <> 0
               ORDER BY t.memory DESC
               LIMIT ?6)
 ORDER BY id DESC, place

-- name: ranked_tagged matches: tag=8
SELECT id
  FROM (SELECT m.id, CASE CAST(?5 AS BIGINT)
                        WHEN 2 THEN m.importance
                        WHEN 3 THEN CAST(m.uses AS DOUBLE PRECISION)
                        ELSE CAST(coalesce(m.last_used_at, 0) AS DOUBLE PRECISION)
                      END AS rank
          FROM memory_tag AS t
          JOIN memory AS m ON m.subject = ?1 AND m.id = t.memory
         WHERE t.subject = ?1 AND t.tag = ?8 AND m.state <= ?2 AND (?3 & CASE WHEN m.kind = 3 AND m.importance >= 0.6 THEN 24 ELSE 1 << m.kind END) <> 0) AS listed
 WHERE (rank, id) < (?6, ?7)
 ORDER BY rank DESC, id DESC
 LIMIT ?4

-- name: oldest_tagged matches: tag=6
SELECT m.id
  FROM memory_tag AS t
  JOIN memory AS m ON m.subject = ?1 AND m.id = t.memory
 WHERE t.subject = ?1 AND t.tag = ?6 AND t.memory > ?5 AND m.state <= ?2 AND (?3 & CASE WHEN m.kind = 3 AND m.importance >= 0.6 THEN 24 ELSE 1 << m.kind END) <> 0
 ORDER BY t.memory
 LIMIT ?4

-- name: ranked_with_traits matches: tag=9,category=12
-- Those of a tag (if ?8), a class, a category (if ?11), a time of storing and a conversation (if ?15).
SELECT id
  FROM (SELECT m.id, CASE CAST(?5 AS BIGINT)
                        WHEN 0 THEN 0.0
                        WHEN 2 THEN m.importance
                        WHEN 3 THEN CAST(m.uses AS DOUBLE PRECISION)
                        ELSE CAST(coalesce(m.last_used_at, 0) AS DOUBLE PRECISION)
                      END AS rank
          FROM memory AS m
         WHERE m.subject = ?1 AND m.state <= ?2 AND (?3 & CASE WHEN m.kind = 3 AND m.importance >= 0.6 THEN 24 ELSE 1 << m.kind END) <> 0
           AND (CAST(?8 AS INTEGER) < 1
                OR m.id IN (SELECT t.memory FROM memory_tag AS t WHERE t.subject = ?1 AND t.tag = ?9))
           AND m.type = CASE WHEN CAST(?10 AS TEXT) = '' THEN m.type ELSE ?10 END
           AND (CAST(?11 AS INTEGER) < 1 OR m.category = ?12)
           AND m.known_from >= ?13 AND m.known_from < ?14
           AND (CAST(?15 AS INTEGER) < 1
                OR m.id IN (SELECT e.memory FROM evidence AS e WHERE e.subject = ?1 AND e.conversation = ?16))) AS listed
 WHERE (rank, id) < (?6, ?7)
 ORDER BY rank DESC, id DESC
 LIMIT ?4

-- name: oldest_with_traits matches: tag=7,category=10
SELECT m.id
  FROM memory AS m
 WHERE m.subject = ?1 AND m.id > ?5 AND m.state <= ?2 AND (?3 & CASE WHEN m.kind = 3 AND m.importance >= 0.6 THEN 24 ELSE 1 << m.kind END) <> 0
   AND (CAST(?6 AS INTEGER) < 1
        OR m.id IN (SELECT t.memory FROM memory_tag AS t WHERE t.subject = ?1 AND t.tag = ?7))
   AND m.type = CASE WHEN CAST(?8 AS TEXT) = '' THEN m.type ELSE ?8 END
   AND (CAST(?9 AS INTEGER) < 1 OR m.category = ?10)
   AND m.known_from >= ?11 AND m.known_from < ?12
   AND (CAST(?13 AS INTEGER) < 1
        OR m.id IN (SELECT e.memory FROM evidence AS e WHERE e.subject = ?1 AND e.conversation = ?14))
 ORDER BY m.id
 LIMIT ?4

-- name: formed_of text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT e.memory
                FROM evidence AS e INDEXED BY evidence_source
                JOIN memory AS m ON m.subject = ?1 AND m.id = e.memory
               WHERE e.home = ?2 AND e.conversation = ?3 AND e.subject = ?1 AND m.state < 2
                 AND (m.kind < 3 OR m.importance >= 0.6)
               GROUP BY e.memory
               ORDER BY e.memory DESC
               LIMIT ?4)
 ORDER BY id DESC, place
