-- Users who are one person: whose requests read and write another's memory, and what was copied from it there.

-- name: aliases
SELECT source_name, target_name, at, joined_at FROM user_alias ORDER BY source_name

-- name: add_alias
INSERT INTO user_alias (source, source_name, target, target_name, at) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING

-- name: open_alias
SELECT 1 FROM user_alias WHERE source = ?1 AND target = ?2 AND joined_at IS NULL

-- name: join_alias
UPDATE user_alias SET joined_at = ?3 WHERE source = ?1 AND target = ?2 AND joined_at IS NULL RETURNING 1

-- name: drop_alias
DELETE FROM user_alias WHERE source = ?1

-- name: sources_of
SELECT source_name, target_name FROM user_alias WHERE target = ?1 ORDER BY source

-- name: memory_page
SELECT id FROM memory WHERE subject = ?1 AND id > ?2 ORDER BY id LIMIT ?3

-- name: conversation_ids
SELECT id FROM conversation WHERE subject = ?1

-- name: fact
SELECT value, valid_from FROM memory WHERE subject = ?1 AND id = ?2

-- name: has_decision
SELECT 1 FROM decision WHERE subject = ?1 AND at = ?2 AND id = ?3

-- name: has_formation
SELECT 1
  FROM formation
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND profile = ?4 AND stage = ?5 AND version = ?6

-- name: has_insertion
SELECT 1 FROM insertion WHERE subject = ?1 AND chain = ?2 AND thread = ?3

-- name: closed_for
SELECT memory, target
  FROM decision
 WHERE subject = ?1 AND action IN ('replace', 'fold') AND memory IS NOT NULL AND target IS NOT NULL

-- name: reopen_alias
UPDATE user_alias SET joined_at = NULL WHERE source = ?1 AND target = ?2

-- name: kept_conversations
SELECT value FROM meta WHERE name = ?1

-- name: keep_conversations
INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: forget_kept
DELETE FROM meta WHERE name = ?1

-- name: closed_since
SELECT CASE action WHEN 'close' THEN memory ELSE target END
  FROM decision
 WHERE subject = ?1 AND at >= ?2 AND action IN ('close', 'replace', 'fold')
   AND memory IS NOT NULL AND (action = 'close' OR target IS NOT NULL)

-- name: ended_since
SELECT memory, reason, target
  FROM decision
 WHERE subject = ?1 AND at >= ?2 AND action = 'close' AND memory IS NOT NULL

-- name: drop_decisions_of
-- What a copy replaced or took in comes back at the end, by these lines.
DELETE FROM decision INDEXED BY decision_memory
 WHERE subject = ?1 AND memory = ?2 AND NOT (action IN ('replace', 'fold') AND target IS NOT NULL)

-- name: drop_closing
DELETE FROM decision INDEXED BY decision_memory WHERE subject = ?1 AND memory = ?2 AND target = ?3

-- name: formed_of_log
SELECT DISTINCT memory
  FROM evidence INDEXED BY evidence_source
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3

-- name: rest_formations
-- They are formed in the memory that they were copied into.
UPDATE formation
   SET due_at = NULL, lease_token = NULL, lease_until = NULL
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3
RETURNING profile, stage, version, formed_seq, asked_seq

-- name: resting_formations
SELECT home, conversation, profile, stage, version
  FROM formation
 WHERE subject = ?1 AND due_at IS NULL AND parked = 0 AND formed_seq < asked_seq

-- name: wake_formation
UPDATE formation
   SET due_at = ?7
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND profile = ?4 AND stage = ?5 AND version = ?6
   AND parked = 0 AND formed_seq < asked_seq AND (due_at IS NULL OR due_at > ?7)

-- name: drop_conversation
DELETE FROM conversation WHERE subject = ?1 AND id = ?2

-- name: drop_messages
DELETE FROM message WHERE subject = ?1 AND conversation = ?2

-- name: drop_calls
DELETE FROM tool_call WHERE subject = ?1 AND conversation = ?2

-- name: drop_formations
DELETE FROM formation WHERE subject = ?1 AND home = ?2 AND conversation = ?3

-- name: drop_decisions
DELETE FROM decision INDEXED BY decision_source WHERE subject = ?1 AND conversation = ?2

-- name: drop_recalls
DELETE FROM recall INDEXED BY recall_conversation WHERE subject = ?1 AND conversation = ?2
