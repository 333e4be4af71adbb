-- Subjects within another one: the sessions, apps and characters of a user. A row is stored with the owner's rows, so that
-- erasing and exporting a user finds them by the owner's key. `store/sql/inner.py` adds the rows of existing subjects,
-- because an owner's key cannot be computed here.
CREATE TABLE IF NOT EXISTS inner_subject (
    subject INTEGER NOT NULL,
    name    TEXT NOT NULL,
    PRIMARY KEY (subject, name)
) STRICT, WITHOUT ROWID;
