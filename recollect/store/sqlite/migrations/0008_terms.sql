-- Terms are made by a scheme (text.TERM_SCHEME). A subject behind it has its memories' terms made anew in the background,
-- in order of their ids; meanwhile it is asked by both schemes. termed: the last id that was reached, NULL where none was.
ALTER TABLE subject ADD COLUMN terms INTEGER NOT NULL DEFAULT 1;
ALTER TABLE subject ADD COLUMN termed BLOB;

UPDATE subject SET terms = 2 WHERE NOT EXISTS (SELECT 1 FROM hot WHERE hot.subject = subject.key);

CREATE INDEX subject_terms ON subject (terms);
