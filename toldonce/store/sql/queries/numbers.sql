-- The numbers of apps' memories: see `app_numbers.py`.

-- name: take
-- The next numbers of the subject's range; no row if the range has too few left, or there is none yet.
UPDATE app_number SET last = last + ?2 WHERE subject = ?1 AND last % ?3 + ?2 < ?3 RETURNING last

-- name: claim_range
INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING RETURNING 1

-- name: begin_range
INSERT INTO app_number (subject, last) VALUES (?1, ?2) ON CONFLICT (subject) DO UPDATE SET last = excluded.last

-- name: numbered
SELECT id, number FROM memory WHERE subject = ?1 AND kind <> 3 ORDER BY id

-- name: renumber
UPDATE memory SET number = ?3 WHERE subject = ?1 AND id = ?2

-- name: name_app
UPDATE memory SET app = ?2 WHERE subject = ?1 AND number IS NOT NULL
