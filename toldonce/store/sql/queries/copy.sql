-- For copying a database: the subjects, the progress, and whether the source has changed.

-- name: next_subjects
SELECT key FROM subject WHERE key >= ?1 ORDER BY key LIMIT ?2

-- name: copied_up_to
SELECT value FROM meta WHERE name = 'copy'

-- name: note_copied
INSERT INTO meta (name, value) VALUES ('copy', ?1) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: to_copy
SELECT (SELECT count(*) FROM message) + (SELECT count(*) FROM memory)

-- name: written
-- Changes with every message, every change to a memory, and every erasure.
SELECT (SELECT count(*) FROM subject),
       (SELECT sum(version) FROM subject),
       (SELECT sum(last_seq) FROM conversation),
       (SELECT count(*) FROM erasure)
