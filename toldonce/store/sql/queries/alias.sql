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

-- name: conversation_sizes
SELECT id, last_seq FROM conversation WHERE subject = ?1

-- name: active_facts
SELECT id, category, key, value, valid_from FROM memory WHERE subject = ?1 AND kind = 1 AND state = 0

-- name: closed_for
SELECT memory, target
  FROM decision
 WHERE subject = ?1 AND action IN ('replace', 'fold') AND memory IS NOT NULL AND target IS NOT NULL

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
UPDATE formation SET due_at = NULL, lease_token = NULL, lease_until = NULL WHERE subject = ?1

-- name: wake_formations
UPDATE formation SET due_at = ?2 WHERE subject = ?1 AND due_at IS NULL AND parked = 0 AND formed_seq < asked_seq

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
