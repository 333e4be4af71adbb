-- Conversations, their messages, and the memory inserted into requests.

-- name: conversation_by_external matches: external_id=2
SELECT id, last_seq FROM conversation WHERE subject = ?1 AND external_id = ?2

-- name: last_seq
SELECT last_seq FROM conversation WHERE subject = ?1 AND id = ?2

-- name: app_of
SELECT app FROM conversation WHERE subject = ?1 AND id = ?2

-- name: add_conversation matches: external_id=3,options=7
INSERT INTO conversation (subject, id, external_id, created_at, updated_at, profile, app, options)
VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7)

-- name: conversation
SELECT id, external_id, created_at, updated_at, last_seq, profile, app, options, ended_at, end_reason
  FROM conversation
 WHERE subject = ?1 AND id = ?2

-- name: conversation_called matches: external_id=2
SELECT id, external_id, created_at, updated_at, last_seq, profile, app, options, ended_at, end_reason
  FROM conversation
 WHERE subject = ?1 AND external_id = ?2

-- name: end_conversation seals: 4
UPDATE conversation SET ended_at = ?3, end_reason = ?4 WHERE subject = ?1 AND id = ?2

-- name: note_options matches: options=3
UPDATE conversation SET options = ?3 WHERE subject = ?1 AND id = ?2 AND options IS NOT ?3

-- name: go_on
UPDATE conversation SET ended_at = NULL, end_reason = NULL WHERE subject = ?1 AND id = ?2 AND ended_at IS NOT NULL

-- name: grow_conversation
UPDATE conversation SET last_seq = ?3, updated_at = max(updated_at, ?4) WHERE subject = ?1 AND id = ?2

-- name: conversations
SELECT id, external_id, created_at, updated_at, last_seq, profile, app, options, ended_at, end_reason
  FROM conversation
 WHERE subject = ?1 AND updated_at <= ?2 AND (updated_at < ?2 OR id < ?4)
 ORDER BY updated_at DESC, id DESC
 LIMIT ?3

-- name: add_message copy: rows seals: 8,12,13
INSERT INTO message (subject, conversation, seq, parent_seq, hash, anchor, role, name, complete, said_at, recorded_at,
                     text, payload, erased, zone)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)

-- name: add_call
INSERT INTO tool_call (subject, call, conversation, seq) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING

-- name: messages
SELECT seq, parent_seq, role, text, name, said_at, recorded_at, complete, hash, erased, zone
  FROM message
 WHERE subject = ?1 AND conversation = ?2 AND seq > ?3
 ORDER BY seq
 LIMIT ?4

-- name: user_words
-- A text that may be encrypted is read whole.
SELECT seq, name, CASE WHEN substr(text, 1, 7) = 'sealed.' THEN text ELSE substr(text, 1, ?5) END
  FROM message
 WHERE subject = ?1 AND conversation = ?2 AND seq > ?3 AND seq < ?4 AND role = 'user'
 ORDER BY seq

-- name: place_of
SELECT parent_seq, hash, role, complete, said_at FROM message WHERE subject = ?1 AND conversation = ?2 AND seq = ?3

-- name: equal_child
-- An edit that was edited again no longer counts: the same words sent again are a new message.
SELECT max(seq)
  FROM message AS one
 WHERE subject = ?1 AND conversation = ?2 AND parent_seq = ?3 AND hash = ?4
   AND (role <> 'user'
        OR NOT EXISTS (SELECT 1
                         FROM message AS newer
                        WHERE newer.subject = ?1 AND newer.conversation = ?2 AND newer.parent_seq = ?3
                          AND newer.role = 'user' AND +newer.seq > one.seq))

-- name: equal_reply
SELECT max(seq)
  FROM message
 WHERE subject = ?1 AND conversation = ?2 AND parent_seq = ?3 AND hash = ?4 AND complete >= ?5

-- name: newest_child
SELECT max(seq) FROM message WHERE subject = ?1 AND conversation = ?2 AND parent_seq = ?3

-- name: thread
WITH RECURSIVE up (seq, parent_seq, hash, depth) AS (
    SELECT leaf.seq, leaf.parent_seq, leaf.hash, 1
      FROM message AS leaf
     WHERE leaf.subject = ?1 AND leaf.conversation = ?2 AND leaf.seq = ?3
     UNION ALL
    SELECT above.seq, above.parent_seq, above.hash, up.depth + 1
      FROM up
     CROSS JOIN message AS above
     WHERE above.subject = ?1 AND above.conversation = ?2 AND above.seq = up.parent_seq AND up.depth < ?4
)
SELECT seq, hash FROM up ORDER BY seq DESC

-- name: newest_question
SELECT text
  FROM message
 WHERE subject = ?1 AND conversation = ?2 AND parent_seq = ?3 AND role = 'user'
 ORDER BY seq DESC
 LIMIT 1

-- name: anchored
SELECT conversation, seq
  FROM message
 WHERE subject = ?1 AND anchor = ?2
 ORDER BY conversation DESC, seq DESC
 LIMIT ?3

-- name: anchored_within
SELECT conversation, seq
  FROM message
 WHERE subject = ?1 AND anchor = ?2 AND conversation = ?4
 ORDER BY seq DESC
 LIMIT ?3

-- name: called
SELECT conversation, seq
  FROM tool_call
 WHERE subject = ?1 AND call = ?2
 ORDER BY conversation DESC, seq DESC
 LIMIT ?3

-- name: called_within
SELECT conversation, seq
  FROM tool_call
 WHERE subject = ?1 AND call = ?2 AND conversation = ?4
 ORDER BY seq DESC
 LIMIT ?3

-- name: recent_first
SELECT conversation, seq
  FROM message
 WHERE subject = ?1 AND hash = ?2 AND recorded_at >= ?3 AND parent_seq = 0
 ORDER BY recorded_at DESC, conversation DESC
 LIMIT ?4

-- Index and order of joins are given because SQLite otherwise walks the conversation once for each of its messages.
-- name: abandoned
WITH RECURSIVE gone (seq) AS (
    SELECT old.seq
      FROM message AS old
     WHERE old.subject = ?1 AND old.conversation = ?2 AND old.role = 'user'
       AND EXISTS (SELECT 1
                     FROM message AS new INDEXED BY message_child
                    WHERE new.subject = ?1 AND new.conversation = ?2 AND new.parent_seq = old.parent_seq
                      AND new.seq > old.seq AND new.role = 'user')
     UNION
    SELECT below.seq
      FROM gone
     CROSS JOIN message AS below
        ON below.subject = ?1 AND below.conversation = ?2 AND below.parent_seq = gone.seq
)
SELECT seq FROM gone

-- name: add_recall seals: 11
INSERT INTO recall (subject, at, id, conversation, seq, query_hash, items, block_hash, tokens, replayed, omitted, prefix,
                    recorded, tenant, request)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
    ON CONFLICT DO NOTHING

-- name: note_hits
UPDATE recall SET items = ?4 WHERE subject = ?1 AND at = ?2 AND id = ?3

-- name: recalls
SELECT id, at, query_hash, items, block_hash, tokens, replayed, omitted, prefix, seq
  FROM recall
 WHERE subject = ?1
 ORDER BY at DESC, id DESC
 LIMIT ?2

-- name: recalls_within
SELECT id, at, query_hash, items, block_hash, tokens, replayed, omitted, prefix, seq
  FROM recall INDEXED BY recall_conversation
 WHERE subject = ?1 AND conversation = ?3 AND (?4 = 0 OR items <> '[]')
 ORDER BY at DESC, id DESC
 LIMIT ?2
