-- What is answered by the index of one subject's vectors. Its condition must stand in the statement word for word, so all
-- but the vector and the limit is put in before: numbers of ours, and the name of pgvector's type.

-- name: look_further
-- For the transaction: how many vectors are looked at for one question, and that the index goes on where fewer are found.
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
-- The planner would keep vectors in tables of the system, where erasing cannot reach.
ALTER INDEX {name} ALTER COLUMN 1 SET STATISTICS 0

-- name: drop
DROP INDEX CONCURRENTLY IF EXISTS {name}
