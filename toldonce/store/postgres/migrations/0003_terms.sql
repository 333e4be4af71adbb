-- Terms are made by a scheme (text.TERM_SCHEME). For a subject with an older one, the terms of its memories are made again
-- in the background, in order of their ids; until then it is searched with both. termed: the last id done; NULL if none.
ALTER TABLE subject ADD COLUMN terms INTEGER NOT NULL DEFAULT 1;
ALTER TABLE subject ADD COLUMN termed BYTEA;

UPDATE subject SET terms = 2 WHERE NOT EXISTS (SELECT 1 FROM hot WHERE hot.subject = subject.key);

CREATE INDEX subject_terms ON subject (terms);
