-- Further names of a user's characters. character: the name under which the memories are kept. Both as subjects spell them.
CREATE TABLE IF NOT EXISTS character_name (
    subject   BIGINT NOT NULL,
    name      TEXT COLLATE "C" NOT NULL,
    character TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (subject, name)
);

-- No samples of texts: see 0001.
ALTER TABLE character_name ALTER COLUMN name SET STATISTICS 0;
ALTER TABLE character_name ALTER COLUMN character SET STATISTICS 0;
