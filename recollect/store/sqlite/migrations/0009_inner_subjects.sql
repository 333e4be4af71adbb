-- Which subjects are within another: the sessions, apps and characters of a user. A row is kept with the owner's rows, so
-- that erasing and exporting a user finds them by the owner's key. Rows for subjects that are there already are added by
-- `store/sql/inner.py`: an owner's key cannot be computed here.
CREATE TABLE IF NOT EXISTS inner_subject (
    subject INTEGER NOT NULL,
    name    TEXT NOT NULL,
    PRIMARY KEY (subject, name)
) STRICT, WITHOUT ROWID;
