-- Which data key of its own seals a subject's new rows: numbers alone, the keys are in the keyring.
-- state: 0 it has none, 1 all rows are sealed, 2 some rows are plain, 3 new rows are plain.

-- name: key_of lock: row
SELECT generation, state FROM subject_key WHERE subject = ?1

-- name: mark
SELECT value FROM meta WHERE name = 'subject_keys'

-- name: set_mark
INSERT INTO meta (name, value) VALUES ('subject_keys', ?1) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: add_key
INSERT INTO subject_key (subject, generation, state) VALUES (?1, 1, ?2) ON CONFLICT (subject) DO NOTHING

-- name: begin_key
UPDATE subject_key SET state = ?2 WHERE subject = ?1 AND state = 0

-- name: set_state
UPDATE subject_key SET state = ?2 WHERE subject = ?1

-- name: resume_key
-- New rows are sealed again, of a subject that was being decrypted.
UPDATE subject_key SET state = 2 WHERE subject = ?1 AND state = 3

-- name: retire_key
-- The next rows of the subject get another key; this one is destroyed after the commit.
UPDATE subject_key SET state = 0, retired = generation, generation = generation + 1 WHERE subject = ?1

-- name: retired
SELECT subject, retired FROM subject_key WHERE retired IS NOT NULL ORDER BY subject

-- name: destroyed
UPDATE subject_key SET retired = NULL WHERE subject = ?1 AND retired = ?2

-- name: any_subject
SELECT EXISTS (SELECT 1 FROM subject)

-- name: plain_subjects
-- Subjects of whom some rows may be plain.
SELECT s.key
  FROM subject AS s
 WHERE s.key > ?1 AND NOT EXISTS (SELECT 1 FROM subject_key AS k WHERE k.subject = s.key AND k.state = 1)
 ORDER BY s.key
 LIMIT ?2

-- name: keyed_subjects
-- Subjects of whom some rows may be sealed.
SELECT subject FROM subject_key WHERE subject > ?1 AND state <> 0 ORDER BY subject LIMIT ?2

-- name: count_keyed
SELECT count(*) FILTER (WHERE state = 1), count(*) FILTER (WHERE state IN (2, 3)),
       (SELECT count(*) FROM subject), count(retired)
  FROM subject_key
