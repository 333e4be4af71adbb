-- Statements that PostgreSQL words differently.

-- name: names_of
-- The list is a JSON array of numbers, and all but its brackets is an array of PostgreSQL's as well.
SELECT key, name FROM subject WHERE key = ANY (CAST(translate(?1, '[]', '{}') AS BIGINT[]))
