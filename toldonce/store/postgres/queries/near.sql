-- Searches with the index of one subject's vectors. The statement must repeat the condition of the index literally, so all
-- but the vector and the limit is inserted into the text: our own numbers, and the name of pgvector's type.

-- name: look_further
-- For the transaction: number of vectors visited per search, and that the index continues if it finds too few.
SELECT set_config('hnsw.ef_search', '200', TRUE), set_config('hnsw.iterative_scan', 'relaxed_order', TRUE)

-- name: nearest
SELECT memory
  FROM vector
 WHERE subject = {subject} AND space = {space}
 ORDER BY CAST(embedding AS {type}) <=> CAST(CAST(?1 AS TEXT) AS {type})
 LIMIT ?2

-- name: vectors_schema
SELECT n.nspname FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'vector'

-- name: build
CREATE INDEX CONCURRENTLY {name} ON vector USING hnsw ((CAST(embedding AS {type})) {operators})
 WHERE subject = {subject} AND space = {space}

-- name: no_samples
-- Statistics would store vectors in system tables, which erasing cannot reach.
ALTER INDEX {name} ALTER COLUMN 1 SET STATISTICS 0

-- name: drop
DROP INDEX CONCURRENTLY IF EXISTS {name}
