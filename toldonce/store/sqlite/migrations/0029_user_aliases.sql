-- Users who are one person: requests of source read and write the memory of target. joined_at: when the memory of source
-- was copied there; NULL: it is not yet. source and target: keys of subjects; at, joined_at: microseconds.
CREATE TABLE IF NOT EXISTS user_alias (
    source      INTEGER NOT NULL PRIMARY KEY,
    source_name TEXT NOT NULL,
    target      INTEGER NOT NULL,
    target_name TEXT NOT NULL,
    at          INTEGER NOT NULL,
    joined_at   INTEGER
) STRICT;

CREATE INDEX IF NOT EXISTS user_alias_target ON user_alias (target);
