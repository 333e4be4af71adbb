-- For operators: which subjects should have an index of their vectors, and which have one, across all subjects.

-- name: pgvector
SELECT extversion FROM pg_extension WHERE extname = 'vector'

-- name: is_distributed
SELECT to_regclass('pg_dist_partition') IS NOT NULL

-- name: distributed
SELECT 1 FROM pg_dist_partition WHERE logicalrelid = CAST('vector' AS REGCLASS)

-- name: lock
SELECT pg_try_advisory_lock(?1)

-- name: giants
-- A subject without a chosen embedder is read in the space of the settings: the one with most of its vectors.
SELECT DISTINCT ON (s.key) s.key, p.id, s.name, p.name, p.dim, v.vectors
  FROM (SELECT subject, space, count(*) AS vectors FROM vector GROUP BY subject, space HAVING count(*) >= ?1) AS v
  JOIN subject AS s ON s.key = v.subject
  JOIN space AS p ON p.id = v.space
 WHERE s.space IS NULL OR s.space = v.space
 ORDER BY s.key, v.vectors DESC, p.id DESC

-- name: indexes
SELECT CAST(c.relname AS TEXT), i.indisvalid, pg_relation_size(c.oid)
  FROM pg_index AS i
  JOIN pg_class AS c ON c.oid = i.indexrelid
 WHERE i.indrelid = CAST('vector' AS REGCLASS) AND c.relname LIKE 'near\_%'
 ORDER BY c.relname

-- name: marked
SELECT key, near FROM subject WHERE near IS NOT NULL

-- name: mark
UPDATE subject SET near = ?2, version = version + 1 WHERE key = ?1

-- name: whose
SELECT coalesce((SELECT name FROM subject WHERE key = ?1), ''), coalesce((SELECT name FROM space WHERE id = ?2), ''),
       (SELECT count(*) FROM vector WHERE subject = ?1 AND space = ?2),
       coalesce((SELECT near = ?2 AND coalesce(space, ?2) = ?2 FROM subject WHERE key = ?1), FALSE)

-- name: progress
SELECT phase, blocks_done, blocks_total FROM pg_stat_progress_create_index WHERE pid = ?1

-- name: memory
SELECT pg_size_bytes(current_setting('maintenance_work_mem'))
