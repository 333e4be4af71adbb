-- Maintenance: when a subject was last maintained and by which worker it is now, the profiles of its memories, and which
-- memories expire.

-- tended_at: microseconds since 1970 UTC, 0 for never. tend_until is NULL without a token.
ALTER TABLE subject ADD COLUMN tended_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE subject ADD COLUMN tend_token INTEGER;
ALTER TABLE subject ADD COLUMN tend_until INTEGER;
CREATE INDEX subject_tended ON subject (tended_at);

CREATE INDEX memory_profile ON memory (subject, profile) WHERE kind < 2;
CREATE INDEX memory_ends ON memory (subject, valid_to) WHERE kind < 3 AND state = 0 AND valid_to IS NOT NULL;
