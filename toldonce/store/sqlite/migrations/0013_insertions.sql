-- The injection ledger: what was inserted into the prompts of a conversation, so that the next prompts repeat it.
--
-- thread groups the prompts of one client conversation; chain is a hash over the messages up to the one at which the text
-- was inserted; masked: with the key of the erasure ledger, as it may cover an erased message. conversation and seq name
-- that message in the log; they are NULL until the turn is recorded. is_answer: a mark that the thread went on with an
-- answer; it has no text. items and withdrawn are JSON: [[subject, memory id], …] and [memory id, …]. characters: length of the
-- text. erased: the text was erased or forgotten, the row says why a prefix broke. held: it came with an imported file
-- that is not trusted, and is not inserted.
CREATE TABLE IF NOT EXISTS insertion (
    subject         INTEGER NOT NULL,
    chain           INTEGER NOT NULL,
    thread          INTEGER NOT NULL,
    at              INTEGER NOT NULL,
    depth           INTEGER NOT NULL,
    id              BLOB NOT NULL,
    conversation    BLOB,
    seq             INTEGER,
    is_answer       INTEGER NOT NULL DEFAULT 0,
    masked          INTEGER NOT NULL DEFAULT 0,
    held            INTEGER NOT NULL DEFAULT 0,
    erased          INTEGER NOT NULL DEFAULT 0,
    quotes_messages INTEGER NOT NULL DEFAULT 0,
    characters      INTEGER NOT NULL DEFAULT 0,
    sent_bytes      INTEGER NOT NULL DEFAULT 0,
    sent_hash       TEXT NOT NULL DEFAULT '',
    items           TEXT NOT NULL DEFAULT '[]',
    withdrawn       TEXT NOT NULL DEFAULT '[]',
    standing        TEXT NOT NULL DEFAULT '',
    recalled        TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (subject, chain, thread)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS insertion_thread ON insertion (subject, thread, at, depth, characters);
CREATE INDEX IF NOT EXISTS insertion_conversation ON insertion (subject, conversation, seq) WHERE conversation IS NOT NULL;
CREATE INDEX IF NOT EXISTS insertion_unlinked ON insertion (subject, thread, at) WHERE conversation IS NULL;
CREATE INDEX IF NOT EXISTS insertion_masked ON insertion (subject) WHERE masked = 1;

-- Which insertions show or withdraw a memory, whose owner may be another subject: erasing finds them by it.
CREATE TABLE IF NOT EXISTS insertion_item (
    subject INTEGER NOT NULL,
    memory  BLOB NOT NULL,
    owner   INTEGER NOT NULL,
    chain   INTEGER NOT NULL,
    thread  INTEGER NOT NULL,
    PRIMARY KEY (subject, memory, owner, chain, thread)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS insertion_item_owner ON insertion_item (owner, memory);

-- The columns recall.replayed (number of earlier insertions that the prompt repeated), recall.omitted (JSON: [[memory id,
-- reason], …]) and recall.prefix are added by `store/sqlite/migrate.py`.
