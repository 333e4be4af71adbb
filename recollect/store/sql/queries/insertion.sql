-- The injection ledger: what was inserted into prompts, and which answers the threads went on with.

-- name: insertions_at
SELECT thread, chain, depth, id, at, standing, recalled, items, withdrawn, quotes_messages, sent_bytes, sent_hash, erased,
       is_answer
  FROM insertion
 WHERE subject = ?1 AND chain IN (SELECT value FROM json_each(?2))

-- name: newest_insertion
SELECT thread, chain, depth, id, at, standing, recalled, items, withdrawn, quotes_messages, sent_bytes, sent_hash, erased,
       is_answer
  FROM insertion
 WHERE subject = ?1 AND thread = ?2 AND is_answer = 0
 ORDER BY at DESC, depth DESC
 LIMIT 1

-- name: erased_since
SELECT EXISTS (SELECT 1 FROM erasure WHERE subject = ?1 AND at > ?2)

-- name: thread_size
SELECT count(*), coalesce(sum(characters), 0) FROM insertion WHERE subject = ?1 AND thread = ?2 AND characters > 0

-- name: thread_items
SELECT chain, thread, items FROM insertion WHERE subject = ?1 AND thread = ?2 AND characters > 0

-- name: drop_thread
DELETE FROM insertion WHERE subject = ?1 AND thread = ?2

-- name: insertion_items
SELECT chain, thread, items FROM insertion WHERE subject = ?1 AND chain = ?2 AND thread = ?3

-- name: drop_item
DELETE FROM insertion_item WHERE subject = ?1 AND memory = ?2 AND owner = ?3 AND chain = ?4 AND thread = ?5

-- name: drop_insertion
DELETE FROM insertion WHERE subject = ?1 AND chain = ?2 AND thread = ?3

-- name: add_insertion
INSERT INTO insertion (subject, thread, chain, depth, id, at, standing, recalled, items, withdrawn, quotes_messages,
                       sent_bytes, sent_hash, erased, is_answer, characters)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 0, ?15)

-- name: add_item
INSERT INTO insertion_item (subject, memory, owner, chain, thread) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING

-- name: withdraw_insertion
UPDATE insertion
   SET standing = '', recalled = '', items = '[]', withdrawn = '[]', quotes_messages = 0, characters = 0,
       sent_bytes = 0, sent_hash = ''
 WHERE subject = ?1 AND chain = ?2 AND thread = ?3 AND is_answer = 0

-- name: unlinked_insertions
SELECT chain, depth FROM insertion WHERE subject = ?1 AND thread = ?2 AND conversation IS NULL

-- name: link_insertion
UPDATE insertion SET conversation = ?4, seq = ?5 WHERE subject = ?1 AND chain = ?2 AND thread = ?3

-- name: add_answer_mark
INSERT INTO insertion (subject, thread, chain, depth, id, at, conversation, seq, is_answer)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1)
    ON CONFLICT DO NOTHING
