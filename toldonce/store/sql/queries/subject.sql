-- Subjects, spaces and counts for operators.

-- name: subject lock: row
SELECT name, version, space FROM subject WHERE key = ?1

-- name: snapshot_state
SELECT s.name, s.version, s.space, s.terms < ?3, p.id, p.dim
  FROM subject AS s
  LEFT JOIN space AS p ON p.name = ?2
 WHERE s.key = ?1

-- name: to_begin_with
-- An erased subject continues its count of versions, so that none is reused. It is read with the chosen embedder.
SELECT coalesce((SELECT version FROM erased_subject WHERE subject = ?1), 0),
       (SELECT id FROM space WHERE chosen_at IS NOT NULL ORDER BY chosen_at DESC LIMIT 1)

-- name: was_erased
SELECT EXISTS (SELECT 1 FROM erased_subject WHERE subject = ?1)

-- name: add_subject
INSERT INTO subject (key, name, version, terms, space) VALUES (?1, ?2, ?3, ?4, ?5)

-- name: move_version
UPDATE subject SET version = version + 1 WHERE key = ?1 RETURNING version, name, space

-- name: subjects
SELECT name FROM subject WHERE name > ?1 AND name < ?3 ORDER BY name LIMIT ?2

-- name: term_key
SELECT value FROM meta WHERE name = 'term_key'

-- name: space
SELECT id, dim FROM space WHERE name = ?1

-- name: read_in
SELECT name, space FROM subject WHERE key = ?1

-- name: space_name
SELECT name FROM space WHERE id = ?1

-- name: add_space
INSERT INTO space (name, dim) VALUES (?1, ?2) RETURNING id

-- name: spaces
SELECT name FROM space ORDER BY name

-- name: count
SELECT (SELECT count(*) FROM subject),
       (SELECT count(*) FROM conversation),
       (SELECT coalesce(sum(last_seq), 0) FROM conversation),
       (SELECT count(*) FROM hot),
       (SELECT count(*) FROM formation WHERE due_at <= ?1 AND parked = 0),
       (SELECT count(*) FROM formation WHERE parked = 1)

-- name: sums
-- Memories with the quotations that are kept. The names of tenants' subjects begin with `@tenant/`.
SELECT (SELECT count(*) FROM memory INDEXED BY memory_listed WHERE kind < 3 AND state = 0)
       + (SELECT count(*) FROM memory INDEXED BY memory_kept WHERE kind = 3 AND importance >= 0.6 AND state = 0),
       (SELECT count(*) FROM subject
         WHERE ((name > 'app:' AND name < 'app;')
            OR (name > '@' AND name < 'A' AND substr(name, instr(name, '/') + 1, 4) = 'app:'))),
       (SELECT count(*)
          FROM subject AS s
         WHERE ((s.name > 'app:' AND s.name < 'app;')
            OR (s.name > '@' AND s.name < 'A' AND substr(s.name, instr(s.name, '/') + 1, 4) = 'app:'))
           AND EXISTS (SELECT 1 FROM memory AS m WHERE m.subject = s.key AND m.kind < 3 AND m.state = 0)),
       (SELECT count(*) FROM formation WHERE due_at <= ?1 AND parked = 0),
       (SELECT count(*) FROM formation WHERE parked = 1)

-- name: subject_sums
SELECT (SELECT count(*) FROM memory WHERE subject = ?1 AND kind < 3 AND state = 0)
       + (SELECT count(*) FROM memory WHERE subject = ?1 AND kind = 3 AND importance >= 0.6 AND state = 0),
       (SELECT sum(json_array_length(items)) FROM recall WHERE subject = ?1 AND json_array_length(items, '$[0]') = 4),
       (SELECT sum(json_extract(item.value, '$[3]'))
          FROM recall AS r, json_each(r.items) AS item
         WHERE r.subject = ?1 AND json_array_length(r.items, '$[0]') = 4)

-- name: user_sums
-- Reads at most ?2 rows of each kind: how many there are, how many of them are active, and the newest conversation.
SELECT (SELECT count(*) FROM (SELECT 1 FROM memory WHERE subject = ?1 AND kind < 3 LIMIT ?2) AS few),
       (SELECT count(*) FROM (SELECT state FROM memory WHERE subject = ?1 AND kind < 3 ORDER BY id DESC LIMIT ?2) AS few
         WHERE state = 0),
       (SELECT count(*) FROM (SELECT 1 FROM memory WHERE subject = ?1 AND kind = 3 AND importance >= 0.6 LIMIT ?2) AS few),
       (SELECT count(*) FROM (SELECT state FROM memory WHERE subject = ?1 AND kind = 3 AND importance >= 0.6
                               ORDER BY id DESC LIMIT ?2) AS few
         WHERE state = 0),
       (SELECT count(*) FROM (SELECT 1 FROM conversation WHERE subject = ?1 LIMIT ?2) AS few),
       (SELECT max(updated_at) FROM conversation WHERE subject = ?1)

-- name: decisions_by_action
SELECT action, count(*) FROM decision WHERE subject = ?1 GROUP BY action

-- name: gaps
SELECT count(*)
  FROM conversation AS c
 WHERE c.last_seq <> (SELECT count(*) FROM message AS m WHERE m.subject = c.subject AND m.conversation = c.id)
    OR c.last_seq <> (SELECT coalesce(max(m.seq), 0) FROM message AS m
                       WHERE m.subject = c.subject AND m.conversation = c.id)

-- name: active_without_hot
SELECT count(*)
  FROM memory AS m
 WHERE m.state = 0 AND NOT EXISTS (SELECT 1 FROM hot AS h WHERE h.subject = m.subject AND h.memory = m.id)

-- name: hot_without_active
SELECT count(*)
  FROM hot AS h
 WHERE NOT EXISTS (SELECT 1 FROM memory AS m WHERE m.subject = h.subject AND m.id = h.memory AND m.state = 0)

-- name: vectors_without_hot
SELECT count(*)
  FROM vector AS v
 WHERE NOT EXISTS (SELECT 1 FROM hot AS h WHERE h.subject = v.subject AND h.memory = v.memory AND v.space > 0)
   AND NOT EXISTS (SELECT 1 FROM memory AS m
                    WHERE m.subject = v.subject AND m.id = v.memory AND m.kind = 0 AND m.state = 2 AND v.space < 0)

-- name: turns_without_words
SELECT count(*)
  FROM memory AS m
 WHERE m.kind = 3 AND m.state = 0
   AND NOT EXISTS (SELECT 1 FROM evidence AS e
                     JOIN message AS s ON s.subject = e.home AND s.conversation = e.conversation AND s.seq = e.seq
                    WHERE e.subject = m.subject AND e.memory = m.id)

-- name: log_without_subject
SELECT count(*) FROM conversation AS c WHERE NOT EXISTS (SELECT 1 FROM subject AS s WHERE s.key = c.subject)
