-- The injection ledger: what was inserted into the prompts of a conversation, so that the next prompts repeat it.
--
-- thread groups the prompts of one client conversation; chain is a hash over the messages up to the one at which the text
-- was inserted; masked: with the key of the erasure ledger, as it may cover an erased message. conversation and seq name
-- that message in the log; they are NULL until the turn is recorded. is_answer: a mark that the thread went on with an
-- answer; it has no text. items and withdrawn are JSON: [[subject, memory id], …] and [memory id, …]. characters: length of the
-- text. erased: the text was erased or forgotten, the row says why a prefix broke. held: it came with an imported file
-- that is not trusted, and is not inserted.
CREATE TABLE IF NOT EXISTS insertion (
    subject         BIGINT NOT NULL,
    chain           BIGINT NOT NULL,
    thread          BIGINT NOT NULL,
    at              BIGINT NOT NULL,
    depth           BIGINT NOT NULL,
    id              BYTEA NOT NULL,
    conversation    BYTEA,
    seq             BIGINT,
    is_answer       BIGINT NOT NULL DEFAULT 0,
    masked          BIGINT NOT NULL DEFAULT 0,
    held            BIGINT NOT NULL DEFAULT 0,
    erased          BIGINT NOT NULL DEFAULT 0,
    quotes_messages BIGINT NOT NULL DEFAULT 0,
    characters      BIGINT NOT NULL DEFAULT 0,
    sent_bytes      BIGINT NOT NULL DEFAULT 0,
    sent_hash       TEXT NOT NULL DEFAULT '',
    items           TEXT NOT NULL DEFAULT '[]',
    withdrawn       TEXT NOT NULL DEFAULT '[]',
    standing        TEXT NOT NULL DEFAULT '',
    recalled        TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (subject, chain, thread)
);

CREATE INDEX IF NOT EXISTS insertion_thread ON insertion (subject, thread, at, depth, characters);
CREATE INDEX IF NOT EXISTS insertion_conversation ON insertion (subject, conversation, seq) WHERE conversation IS NOT NULL;
CREATE INDEX IF NOT EXISTS insertion_unlinked ON insertion (subject, thread, at) WHERE conversation IS NULL;
CREATE INDEX IF NOT EXISTS insertion_masked ON insertion (subject) WHERE masked = 1;

-- Which insertions show or withdraw a memory, whose owner may be another subject: erasing finds them by it.
CREATE TABLE IF NOT EXISTS insertion_item (
    subject BIGINT NOT NULL,
    memory  BYTEA NOT NULL,
    owner   BIGINT NOT NULL,
    chain   BIGINT NOT NULL,
    thread  BIGINT NOT NULL,
    PRIMARY KEY (subject, memory, owner, chain, thread)
);

CREATE INDEX IF NOT EXISTS insertion_item_owner ON insertion_item (owner, memory);

-- recall.replayed: number of earlier insertions that the prompt repeated. omitted: JSON [[memory id, reason], …].
ALTER TABLE recall ADD COLUMN IF NOT EXISTS replayed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE recall ADD COLUMN IF NOT EXISTS omitted TEXT NOT NULL DEFAULT '[]';
ALTER TABLE recall ADD COLUMN IF NOT EXISTS prefix TEXT NOT NULL DEFAULT '';

-- No samples of texts: see 0001.
ALTER TABLE insertion ALTER COLUMN items SET STATISTICS 0;
ALTER TABLE insertion ALTER COLUMN withdrawn SET STATISTICS 0;
ALTER TABLE insertion ALTER COLUMN standing SET STATISTICS 0;
ALTER TABLE insertion ALTER COLUMN recalled SET STATISTICS 0;
ALTER TABLE recall ALTER COLUMN omitted SET STATISTICS 0;
