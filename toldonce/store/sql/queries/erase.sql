-- Erase data without a trace. `home = ?1` selects the subject with the log: memories formed from it may be in several
-- subjects.

-- name: nothing_erased
SELECT NOT EXISTS (SELECT 1 FROM erased_message WHERE subject = ?1)

-- name: ledger_key
SELECT value FROM meta WHERE name = ?1

-- name: keep_ledger_keys
INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: erasure_stamp
SELECT value FROM meta WHERE name = 'erasure_stamp'

-- name: stamp_erasure
INSERT INTO meta (name, value) VALUES ('erasure_stamp', ?1) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: versions_of
SELECT key, version FROM subject WHERE key IN (SELECT value FROM json_each(?1))

-- name: lost_since
SELECT 1 FROM gone WHERE subject = ?1 AND version > ?2 LIMIT 1

-- name: marks_from
SELECT mark, at FROM erased_message WHERE subject = ?1 AND mark >= ?2 ORDER BY mark LIMIT ?3

-- name: erased_at
SELECT at FROM erased_message WHERE subject = ?1 AND mark = ?2

-- name: note_erased
INSERT INTO erased_message (subject, mark, at) VALUES (?1, ?2, ?3)
    ON CONFLICT (subject, mark) DO UPDATE SET at = excluded.at

-- name: drop_erased
DELETE FROM erased_message WHERE subject = ?1 AND mark = ?2

-- name: level_of
SELECT erased FROM message WHERE subject = ?1 AND conversation = ?2 AND seq = ?3

-- name: earlier_versions
-- What it replaced or took in, and the notes that ended because they restated that. Named indexes: left to itself
-- SQLite reads all decisions of the subject.
SELECT target
  FROM decision INDEXED BY decision_memory
 WHERE subject = ?1 AND memory = ?2 AND action IN ('replace', 'fold') AND target IS NOT NULL
 UNION
SELECT memory
  FROM decision INDEXED BY decision_target
 WHERE subject = ?1 AND target = ?2 AND action = 'close' AND memory IS NOT NULL

-- name: folded_into
-- Named index: left to itself SQLite reads all decisions of the subject.
SELECT memory
  FROM decision INDEXED BY decision_target
 WHERE subject = ?1 AND target = ?2 AND action = 'fold' AND memory IS NOT NULL

-- name: places_in
SELECT seq FROM message WHERE subject = ?1 AND conversation = ?2 AND erased < 2

-- name: place_to_erase
SELECT hash, anchor, role, erased FROM message WHERE subject = ?1 AND conversation = ?2 AND seq = ?3

-- name: hollow
UPDATE message
   SET erased = 2, hash = ?4, anchor = ?5, name = NULL, text = '', payload = NULL
 WHERE subject = ?1 AND conversation = ?2 AND seq = ?3

-- name: answers_below
WITH RECURSIVE below (seq) AS (
    SELECT ?3
     UNION
    SELECT m.seq
      FROM below
     CROSS JOIN message AS m INDEXED BY message_child
        ON m.subject = ?1 AND m.conversation = ?2 AND m.parent_seq = below.seq AND m.role <> 'user'
)
SELECT m.seq, m.anchor, m.erased
  FROM below
 CROSS JOIN message AS m ON m.subject = ?1 AND m.conversation = ?2 AND m.seq = below.seq
 WHERE m.seq <> ?3

-- name: mask_anchor
UPDATE message SET erased = 1, anchor = ?4 WHERE subject = ?1 AND conversation = ?2 AND seq = ?3

-- name: calls_of
SELECT call FROM tool_call INDEXED BY tool_call_place WHERE subject = ?1 AND conversation = ?2 AND seq = ?3

-- name: mask_call
UPDATE OR REPLACE tool_call SET call = ?5 WHERE subject = ?1 AND call = ?4 AND conversation = ?2 AND seq = ?3

-- name: drop_call
-- Where the masked call stood there already.
DELETE FROM tool_call WHERE subject = ?1 AND call = ?4 AND conversation = ?2 AND seq = ?3

-- name: formed_of
SELECT s.name, e.memory
  FROM evidence AS e
  JOIN subject AS s ON s.key = e.subject
 WHERE e.home = ?1 AND e.conversation = ?2 AND e.seq = ?3

-- name: episodes_of
SELECT s.name, e.memory, min(e.seq), max(e.seq)
  FROM evidence AS e
  JOIN memory AS m ON m.subject = e.subject AND m.id = e.memory AND m.kind = 2
  JOIN subject AS s ON s.key = e.subject
 WHERE e.home = ?1 AND e.conversation = ?2
 GROUP BY s.name, e.memory

-- name: parts_of
-- The conversations that an episode sums up, with the first message of each that it rests on.
SELECT conversation, min(seq) FROM evidence WHERE subject = ?1 AND memory = ?2 GROUP BY conversation

-- name: contexts_of
-- Notes formed of a conversation that may quote another message of it in their context.
SELECT DISTINCT s.name, m.id, m.detail
  FROM evidence AS e
  JOIN memory AS m ON m.subject = e.subject AND m.id = e.memory AND m.kind = 0 AND m.detail IS NOT NULL
  JOIN subject AS s ON s.key = e.subject
 WHERE e.home = ?1 AND e.conversation = ?2

-- name: detail_of
SELECT detail FROM memory WHERE subject = ?1 AND id = ?2

-- name: write_detail seals: 3
UPDATE memory SET detail = ?3, changed = ?4 WHERE subject = ?1 AND id = ?2

-- name: formed_elsewhere
SELECT s.name, e.memory, e.conversation, e.seq
  FROM evidence AS e
  JOIN subject AS s ON s.key = e.subject
 WHERE e.home = ?1 AND e.subject <> ?1

-- name: read_by
-- Subjects in which something was formed of a log, or was to be: their decisions may quote it.
SELECT DISTINCT s.name
  FROM formation AS f
  JOIN subject AS s ON s.key = f.subject
 WHERE f.home = ?1 AND f.subject <> ?1

-- name: name_of
SELECT name FROM subject WHERE key = ?1

-- name: kind_and_state
SELECT kind, state FROM memory WHERE subject = ?1 AND id = ?2

-- name: what_it_is
SELECT kind, state, category, key FROM memory WHERE subject = ?1 AND id = ?2

-- name: sources_of
SELECT home, conversation, seq, place FROM evidence WHERE subject = ?1 AND memory = ?2 ORDER BY place

-- name: drop_source
DELETE FROM evidence WHERE subject = ?1 AND memory = ?2 AND place = ?3

-- name: move_source
UPDATE evidence SET place = ?4 WHERE subject = ?1 AND memory = ?2 AND place = ?3

-- name: touch_memory
UPDATE memory SET changed = ?3 WHERE subject = ?1 AND id = ?2

-- name: sources_packed
SELECT hash, conversation, seq FROM evidence WHERE subject = ?1 AND memory = ?2 ORDER BY place

-- name: repack_sources
UPDATE hot SET sources = ?3 WHERE subject = ?1 AND memory = ?2

-- name: erase_memory
DELETE FROM memory WHERE subject = ?1 AND id = ?2

-- name: erase_hot
DELETE FROM hot WHERE subject = ?1 AND memory = ?2

-- name: erase_vectors
DELETE FROM vector WHERE subject = ?1 AND space IN (SELECT id FROM space UNION ALL SELECT -id FROM space) AND memory = ?2

-- name: erase_evidence
DELETE FROM evidence WHERE subject = ?1 AND memory = ?2

-- name: erase_tags
DELETE FROM memory_tag WHERE subject = ?1 AND memory = ?2

-- name: note_gone
INSERT INTO gone (subject, version, memory) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING

-- name: all_gone
-- Closed memories, too: another process may have cached one before it was closed.
INSERT INTO gone (subject, version, memory) SELECT subject, ?2, id FROM memory WHERE subject = ?1 ON CONFLICT DO NOTHING

-- name: erase_decision
DELETE FROM decision WHERE subject = ?1 AND at = ?2 AND id = ?3

-- name: all_recalls
SELECT at, id, conversation, seq, items, omitted FROM recall WHERE subject = ?1

-- name: recalls_of
SELECT at, id FROM recall INDEXED BY recall_conversation WHERE subject = ?1 AND conversation = ?2 AND seq = ?3

-- name: recalls_naming
-- Those that may name one of some memories: what is encrypted may, and so may what earlier versions wrote.
SELECT at, id, items, omitted
  FROM recall
 WHERE subject = ?1
   AND (EXISTS (SELECT 1 FROM json_each(?2) AS gone WHERE instr(items, gone.value) > 0 OR instr(omitted, gone.value) > 0)
        OR instr(omitted, ' has its own ') > 0 OR substr(omitted, 1, 7) = 'sealed.')

-- name: erase_recall
DELETE FROM recall WHERE subject = ?1 AND at = ?2 AND id = ?3

-- name: thin_recall
UPDATE recall SET items = ?4 WHERE subject = ?1 AND at = ?2 AND id = ?3

-- name: thin_omitted seals: 4
UPDATE recall SET omitted = ?4 WHERE subject = ?1 AND at = ?2 AND id = ?3

-- name: cut_leases
-- Formation in progress has read what is now erased and must not commit it. That does not count as its failure.
UPDATE formation INDEXED BY formation_leased
   SET attempts = attempts - CASE WHEN attempts > 0 THEN 1 ELSE 0 END, lease_token = NULL, lease_until = NULL
 WHERE subject = ?1 AND lease_token IS NOT NULL

-- name: cut_leases_on_log
UPDATE formation INDEXED BY formation_leased_on_log
   SET attempts = attempts - CASE WHEN attempts > 0 THEN 1 ELSE 0 END, lease_token = NULL, lease_until = NULL
 WHERE home = ?1 AND lease_token IS NOT NULL

-- name: clear_errors
UPDATE formation INDEXED BY formation_failed
   SET error = ?2
 WHERE subject = ?1 AND error IS NOT NULL AND error <> ?2

-- name: clear_errors_on_log
UPDATE formation INDEXED BY formation_failed_on_log
   SET error = ?2
 WHERE home = ?1 AND error IS NOT NULL AND error <> ?2

-- name: episodes_due
-- What is left of a summary's range is to be summed up again.
UPDATE formation
   SET formed_seq = min(formed_seq, ?4), due_at = ?5
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND stage = 'episodes'

-- name: note_link
INSERT INTO link (subject, memory) VALUES (?1, ?2) ON CONFLICT DO NOTHING

-- name: drop_link
DELETE FROM link WHERE subject = ?1 AND memory = ?2

-- name: linked
SELECT s.name FROM link AS l JOIN subject AS s ON s.key = l.subject WHERE l.memory = ?2 AND l.subject <> ?1

-- name: is_linked
SELECT 1 FROM link WHERE subject = ?1 AND memory = ?2

-- name: links_of_all
SELECT s.name, l.memory
  FROM link AS mine
  JOIN link AS l ON l.memory = mine.memory AND l.subject <> ?1
  JOIN subject AS s ON s.key = l.subject
 WHERE mine.subject = ?1

-- name: linked_memory
SELECT kind, state, text, type, category, key, value, importance, confidence, speaker, valid_from, valid_to, known_from,
       closed_at, profile, version, detail
  FROM memory
 WHERE subject = ?1 AND id = ?2

-- name: linked_evidence
SELECT memory, place, home, conversation, seq, hash, role, speaker, quote, said_at
  FROM evidence
 WHERE subject = ?1 AND memory = ?2
 ORDER BY place

-- name: linked_tags
SELECT tag, memory FROM memory_tag WHERE subject = ?1 AND memory = ?2

-- name: linked_hot
SELECT fixed, sources FROM hot WHERE subject = ?1 AND memory = ?2

-- name: linked_vectors
SELECT space, memory, data FROM vector WHERE subject = ?1 AND space IN (SELECT id FROM space UNION ALL SELECT -id FROM space) AND memory = ?2

-- name: all_marks
SELECT hash, erased FROM message WHERE subject = ?1

-- name: all_places
SELECT conversation, seq FROM message WHERE subject = ?1

-- name: note_erased_subject
INSERT INTO erased_subject (subject, at, version) VALUES (?1, ?2, ?3)
    ON CONFLICT (subject) DO UPDATE SET at = excluded.at, version = excluded.version

-- name: erase_subject
DELETE FROM subject WHERE key = ?1

-- name: every_conversation
DELETE FROM conversation WHERE subject = ?1

-- name: forget_options
UPDATE conversation SET options = NULL, end_reason = NULL WHERE subject = ?1 AND id = ?2

-- name: every_message
DELETE FROM message WHERE subject = ?1

-- name: every_call
DELETE FROM tool_call WHERE subject = ?1

-- name: every_memory
DELETE FROM memory WHERE subject = ?1

-- name: every_evidence
DELETE FROM evidence WHERE subject = ?1

-- name: every_hot
DELETE FROM hot WHERE subject = ?1

-- name: every_vector
DELETE FROM vector WHERE subject = ?1

-- name: every_tag
DELETE FROM memory_tag WHERE subject = ?1

-- name: every_formation
DELETE FROM formation WHERE subject = ?1

-- name: every_formation_on_log
DELETE FROM formation WHERE home = ?1

-- name: every_decision
DELETE FROM decision WHERE subject = ?1

-- name: every_recall
DELETE FROM recall WHERE subject = ?1

-- name: every_insertion
DELETE FROM insertion WHERE subject = ?1

-- name: every_insertion_item
DELETE FROM insertion_item WHERE subject = ?1

-- name: every_link
DELETE FROM link WHERE subject = ?1

-- name: note_erasure
-- Again for each portion of a large subject: it is pending again, even if the files were cleaned in between.
INSERT INTO erasure (subject, at, id, cleaned_at, counts) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (subject, at, id) DO UPDATE SET cleaned_at = excluded.cleaned_at, counts = excluded.counts

-- name: portion_end
-- The last memory of a portion; null where there are not as many.
SELECT id FROM memory WHERE subject = ?1 AND id > ?2 ORDER BY id LIMIT 1 OFFSET ?3

-- name: portion_gone
INSERT INTO gone (subject, version, memory)
SELECT subject, ?4, id FROM memory WHERE subject = ?1 AND id > ?2 AND id <= ?3
    ON CONFLICT DO NOTHING

-- name: portion_vectors
DELETE FROM vector WHERE subject = ?1 AND space IN (SELECT id FROM space UNION ALL SELECT -id FROM space) AND memory > ?2 AND memory <= ?3

-- name: portion_hot
DELETE FROM hot WHERE subject = ?1 AND memory > ?2 AND memory <= ?3

-- name: portion_evidence
DELETE FROM evidence WHERE subject = ?1 AND memory > ?2 AND memory <= ?3

-- name: portion_tags
DELETE FROM memory_tag WHERE subject = ?1 AND memory > ?2 AND memory <= ?3

-- name: portion_decisions
DELETE FROM decision WHERE subject = ?1 AND memory > ?2 AND memory <= ?3

-- name: portion_memories
DELETE FROM memory WHERE subject = ?1 AND id > ?2 AND id <= ?3

-- name: unclean
SELECT count(*) FROM erasure WHERE cleaned_at IS NULL

-- name: cleaned
-- Not those that have not ended: see `sql/erase/orders.py`.
UPDATE erasure SET cleaned_at = ?1 WHERE cleaned_at IS NULL AND substr(counts, 1, 8) <> '{"order"'

-- name: unfinished
SELECT counts FROM erasure WHERE cleaned_at IS NULL AND substr(counts, 1, 8) = '{"order"' ORDER BY at, id

-- name: begun
SELECT id, at, cleaned_at, counts FROM erasure INDEXED BY erasure_pending
    WHERE subject = ?1 AND cleaned_at IS NULL AND substr(counts, 1, 8) = '{"order"' ORDER BY at, id LIMIT 1

-- name: erasure
SELECT id, at, cleaned_at, counts FROM erasure WHERE subject = ?1 ORDER BY at DESC, id DESC LIMIT ?2

-- name: every_key_of_user
DELETE FROM api_key WHERE bound_to = ?1

-- name: every_alias
DELETE FROM user_alias WHERE source = ?1

-- name: every_answer
DELETE FROM idempotency WHERE subject = ?1

-- name: every_app
DELETE FROM app WHERE subject = ?1

-- name: every_app_number
DELETE FROM app_number WHERE subject = ?1

-- name: every_subscription
DELETE FROM subscription WHERE subject = ?1

-- name: every_character_name
DELETE FROM character_name WHERE subject = ?1

-- name: every_energy
DELETE FROM energy WHERE subject = ?1

-- name: every_reservation
DELETE FROM reservation WHERE subject = ?1

-- name: every_spending
DELETE FROM spending WHERE subject = ?1

-- name: every_poll
DELETE FROM energy_poll WHERE subject = ?1

-- name: every_inner_subject
DELETE FROM inner_subject WHERE subject = ?1
