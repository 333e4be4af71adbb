-- The injection ledger: what was inserted into prompts, and which answers the threads went on with.

-- name: reader
-- A subject that may have rows, and whether some of them are masked.
SELECT name, EXISTS (SELECT 1 FROM insertion WHERE subject = ?1 AND masked = 1) FROM subject WHERE key = ?1

-- name: insertions_at
-- With the columns of `reader` that tell whose rows they are, and whether others may be masked: one statement for most.
SELECT thread, chain, depth, id, at, standing, recalled, items, withdrawn, quotes_messages, sent_bytes, sent_hash, erased,
       held, is_answer, (SELECT name FROM subject WHERE key = ?1),
       EXISTS (SELECT 1 FROM insertion WHERE subject = ?1 AND masked = 1)
  FROM insertion
 WHERE subject = ?1 AND chain IN (SELECT value FROM json_each(?2))

-- name: insertions_of
SELECT thread, chain, depth, id, at, standing, recalled, items, withdrawn, quotes_messages, sent_bytes, sent_hash, erased,
       held, is_answer, (SELECT name FROM subject WHERE key = ?1), 0
  FROM insertion INDEXED BY insertion_thread
 WHERE subject = ?1 AND thread = ?2

-- name: owner
-- On PostgreSQL this waits for an erasure of the owner's memories.
SELECT name, version FROM subject WHERE key = ?1

-- name: is_lost
-- Whether an owner's words may have been erased since an instant: anything of it was, a memory is gone, or was closed
-- since another instant by what was said, as what is forgotten is; a memory that another value replaced is named as that one's target.
SELECT EXISTS (SELECT 1 FROM erasure WHERE subject = ?1 AND at > ?2)
       OR (SELECT count(*) FROM memory WHERE subject = ?1 AND id IN (SELECT unhex(value, '-') FROM json_each(?3))) < ?4
       OR EXISTS (SELECT 1
                    FROM decision
                   WHERE subject = ?1 AND at >= ?5 AND action = 'close'
                     AND memory IN (SELECT unhex(value, '-') FROM json_each(?3)))

-- name: last_loss
-- When anything of an owner was last erased, and when what was said last closed a memory of it, from an instant on.
SELECT (SELECT max(at) FROM erasure WHERE subject = ?1),
       (SELECT max(at) FROM decision WHERE subject = ?1 AND at >= ?2 AND action = 'close')

-- name: thread_state
-- Whether rows of these chains may be there, whether chains are masked, and how large the thread's text is.
SELECT EXISTS (SELECT 1
                 FROM insertion
                WHERE subject = ?1 AND thread = ?2 AND chain IN (SELECT value FROM json_each(?3))),
       EXISTS (SELECT 1 FROM erased_message WHERE subject = ?1),
       EXISTS (SELECT 1 FROM insertion WHERE subject = ?1 AND masked = 1),
       (SELECT count(*) FROM insertion WHERE subject = ?1 AND thread = ?2 AND characters > 0),
       (SELECT coalesce(sum(characters), 0) FROM insertion WHERE subject = ?1 AND thread = ?2 AND characters > 0)

-- name: drop_thread
DELETE FROM insertion INDEXED BY insertion_thread WHERE subject = ?1 AND thread = ?2 AND depth > 0

-- name: listed_items
SELECT items, withdrawn FROM insertion WHERE subject = ?1 AND chain = ?2 AND thread = ?3

-- name: thread_places
SELECT chain, thread FROM insertion WHERE subject = ?1 AND thread = ?2 AND characters > 0 AND depth > 0

-- name: owner_shown
-- Whose a memory is, that an earlier insertion shows.
SELECT owner FROM insertion_item WHERE subject = ?1 AND memory = ?2 LIMIT 1

-- name: drop_shown
DELETE FROM insertion_item WHERE subject = ?1 AND memory = ?2 AND chain = ?3 AND thread = ?4

-- name: drop_insertion
DELETE FROM insertion WHERE subject = ?1 AND chain = ?2 AND thread = ?3

-- name: add_insertion seals: 7,8
INSERT INTO insertion (subject, thread, chain, depth, id, at, standing, recalled, items, withdrawn, quotes_messages,
                       sent_bytes, sent_hash, erased, masked, characters)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)

-- name: add_item
INSERT INTO insertion_item (subject, memory, owner, chain, thread) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING

-- name: withdraw_insertion
UPDATE insertion
   SET standing = '', recalled = '', items = '[]', withdrawn = '[]', quotes_messages = 0, characters = 0,
       sent_bytes = 0, sent_hash = ''
 WHERE subject = ?1 AND chain = ?2 AND thread = ?3 AND is_answer = 0

-- name: unlinked_insertions
-- Indexes are named throughout: left to itself, SQLite reads all insertions of the subject.
SELECT chain, depth FROM insertion INDEXED BY insertion_unlinked WHERE subject = ?1 AND thread = ?2 AND conversation IS NULL

-- name: link_insertion
UPDATE insertion SET conversation = ?4, seq = ?5 WHERE subject = ?1 AND chain = ?2 AND thread = ?3

-- name: add_answer_mark
INSERT INTO insertion (subject, thread, chain, depth, id, at, conversation, seq, masked, is_answer)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 1)
    ON CONFLICT DO NOTHING

-- name: showing
SELECT subject, chain, thread FROM insertion_item WHERE owner = ?1 AND memory = ?2

-- name: shown_memories
-- Memories of an owner that insertions of any subject show.
SELECT DISTINCT memory FROM insertion_item WHERE owner = ?1 ORDER BY memory DESC LIMIT ?2

-- name: showing_any
SELECT DISTINCT subject, chain, thread FROM insertion_item WHERE owner = ?1 AND subject <> ?1

-- name: quoting_messages
SELECT chain, thread FROM insertion INDEXED BY insertion_quoting WHERE subject = ?1 AND quotes_messages = 1 LIMIT ?2

-- name: from_message
-- From a message on; a row without a place may come after any.
SELECT chain, thread, at, is_answer, masked
  FROM insertion INDEXED BY insertion_conversation
 WHERE subject = ?1 AND conversation = ?2 AND (seq IS NULL OR seq >= ?3)

-- name: threads_of
SELECT DISTINCT thread FROM insertion INDEXED BY insertion_conversation WHERE subject = ?1 AND conversation = ?2

-- name: unlinked_in
SELECT chain, thread, at, is_answer, masked
  FROM insertion INDEXED BY insertion_unlinked
 WHERE subject = ?1 AND thread = ?2 AND conversation IS NULL

-- name: empty_insertion
UPDATE insertion
   SET standing = '', recalled = '', items = '[]', withdrawn = '[]', quotes_messages = 0, characters = 0, sent_hash = '',
       erased = 1
 WHERE subject = ?1 AND chain = ?2 AND thread = ?3 AND is_answer = 0

-- name: forget_hashes
-- Those of later prompts cover the text as well.
UPDATE insertion
   SET sent_hash = ''
 WHERE subject = ?1 AND thread = ?2 AND sent_hash <> ''
   AND at >= (SELECT at FROM insertion WHERE subject = ?1 AND thread = ?2 AND chain = ?3)

-- name: orphans
SELECT chain, thread
  FROM insertion INDEXED BY insertion_unlinked
 WHERE subject = ?1 AND conversation IS NULL AND at < ?2
 LIMIT ?3

-- name: mask_chain
UPDATE insertion SET chain = ?4, masked = 1 WHERE subject = ?1 AND chain = ?2 AND thread = ?3
