-- Further names of a user's characters. character: the name under which the memories are kept. Both as subjects spell them.
CREATE TABLE IF NOT EXISTS character_name (
    subject   INTEGER NOT NULL,
    name      TEXT NOT NULL,
    character TEXT NOT NULL,
    PRIMARY KEY (subject, name)
) STRICT, WITHOUT ROWID;
