-- Statements that PostgreSQL words differently: bytes, and a row for each chunk.

-- name: lacking
SELECT count(*)
  FROM hot AS h
 WHERE h.subject = ?1
   AND NOT EXISTS (SELECT 1 FROM vector AS v WHERE v.subject = ?1 AND v.space = ?2 AND v.memory = h.memory)
   AND (?3 = 1 AND get_byte(h.fixed, 0) <> 1
        OR EXISTS (SELECT 1 FROM vector AS o
                    WHERE o.subject = ?1 AND o.space IN (SELECT id FROM space) AND o.memory = h.memory))

-- name: unembedded
SELECT h.memory
  FROM hot AS h
 WHERE h.subject = ?1 AND h.memory > ?4
   AND NOT EXISTS (SELECT 1 FROM vector AS v WHERE v.subject = ?1 AND v.space = ?2 AND v.memory = h.memory)
   AND (?3 = 1 AND get_byte(h.fixed, 0) <> 1
        OR EXISTS (SELECT 1 FROM vector AS o
                    WHERE o.subject = ?1 AND o.space IN (SELECT id FROM space) AND o.memory = h.memory))
   AND (?5 = 0 OR EXISTS (SELECT 1 FROM memory AS m WHERE m.subject = ?1 AND m.id = h.memory AND m.changed > ?5))
 ORDER BY h.memory
 LIMIT ?6

-- name: drop_portion
DELETE FROM vector
 WHERE subject = ?1 AND space = ?2
   AND memory IN (SELECT DISTINCT memory FROM vector WHERE subject = ?1 AND space = ?2 ORDER BY memory LIMIT ?3)

-- name: space_counts
SELECT p.name, p.dim, coalesce(v.memories, 0), coalesce(s.subjects, 0)
  FROM space AS p
  LEFT JOIN (SELECT space, count(*) AS memories FROM vector WHERE chunk = 0 GROUP BY space) AS v ON v.space = p.id
  LEFT JOIN (SELECT space, count(*) AS subjects FROM subject GROUP BY space) AS s ON s.space = p.id
 ORDER BY p.chosen_at DESC NULLS LAST, p.id
