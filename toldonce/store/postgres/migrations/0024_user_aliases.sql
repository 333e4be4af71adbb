-- Users who are one person: requests of source read and write the memory of target. joined_at: when the memory of source
-- was copied there; NULL: it is not yet. source and target: keys of subjects; at, joined_at: microseconds.
CREATE TABLE IF NOT EXISTS user_alias (
    source      BIGINT NOT NULL PRIMARY KEY,
    source_name TEXT COLLATE "C" NOT NULL,
    target      BIGINT NOT NULL,
    target_name TEXT COLLATE "C" NOT NULL,
    at          BIGINT NOT NULL,
    joined_at   BIGINT
);

CREATE INDEX IF NOT EXISTS user_alias_target ON user_alias (target);

-- No samples of texts: see 0001.
ALTER TABLE user_alias ALTER COLUMN source_name SET STATISTICS 0;
ALTER TABLE user_alias ALTER COLUMN target_name SET STATISTICS 0;
