-- Which data key of its own encrypts a subject's new rows (`store/encryption/`). The keys are in another database.
--
-- state: 0 it has none, 1 all its rows are encrypted, 2 some are not yet, 3 new ones are not. retired: keys up to this
-- number are to be destroyed, because the subject was erased.
CREATE TABLE IF NOT EXISTS subject_key (
    subject    INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL,
    state      INTEGER NOT NULL,
    retired    INTEGER
) STRICT;

CREATE INDEX IF NOT EXISTS subject_key_retired ON subject_key (subject) WHERE retired IS NOT NULL;
