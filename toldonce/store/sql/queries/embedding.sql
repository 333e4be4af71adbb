-- Embedders, and memories to be re-embedded.

-- name: embedders
SELECT name, dim, spec, curve, chosen_at FROM space WHERE spec IS NOT NULL ORDER BY chosen_at DESC NULLS LAST, id DESC

-- name: describe_space
UPDATE space SET spec = ?2, curve = ?3 WHERE id = ?1

-- name: choose_space
UPDATE space SET chosen_at = ?2 WHERE id = ?1

-- name: newest_choice
SELECT coalesce(max(chosen_at), 0) FROM space

-- name: chosen
SELECT id FROM space WHERE chosen_at IS NOT NULL ORDER BY chosen_at DESC LIMIT 1

-- name: stay_in
UPDATE subject SET space = ?1 WHERE space IS NULL

-- name: space_of_subject
SELECT name
  FROM space
 WHERE id = coalesce((SELECT space FROM subject WHERE key = ?1),
                     (SELECT id FROM space WHERE chosen_at IS NOT NULL ORDER BY chosen_at DESC LIMIT 1))

-- name: read_in_page
SELECT name, key, space FROM subject WHERE name > ?1 ORDER BY name LIMIT ?2

-- name: lacking
-- ?3 = 1: all memories with words; else those with vectors in another space only, as facts without vectors need none.
SELECT count(*)
  FROM hot AS h
 WHERE h.subject = ?1
   AND NOT EXISTS (SELECT 1 FROM vector AS v WHERE v.subject = ?1 AND v.space = ?2 AND v.memory = h.memory)
   AND (?3 = 1 AND substr(h.fixed, 1, 1) <> x'01'
        OR EXISTS (SELECT 1 FROM vector AS o
                    WHERE o.subject = ?1 AND o.space IN (SELECT id FROM space) AND o.memory = h.memory))

-- name: unembedded
-- As above, for memories that changed since version ?5, with ids above ?4.
SELECT h.memory
  FROM hot AS h
 WHERE h.subject = ?1 AND h.memory > ?4
   AND NOT EXISTS (SELECT 1 FROM vector AS v WHERE v.subject = ?1 AND v.space = ?2 AND v.memory = h.memory)
   AND (?3 = 1 AND substr(h.fixed, 1, 1) <> x'01'
        OR EXISTS (SELECT 1 FROM vector AS o
                    WHERE o.subject = ?1 AND o.space IN (SELECT id FROM space) AND o.memory = h.memory))
   AND (?5 = 0 OR EXISTS (SELECT 1 FROM memory AS m WHERE m.subject = ?1 AND m.id = h.memory AND m.changed > ?5))
 ORDER BY h.memory
 LIMIT ?6

-- name: lacking_since
-- Whether a memory that changed since version ?3 has no vector.
SELECT 1
  FROM memory AS m INDEXED BY memory_changed
  JOIN hot AS h ON h.subject = ?1 AND h.memory = m.id
 WHERE m.subject = ?1 AND m.changed > ?3
   AND NOT EXISTS (SELECT 1 FROM vector AS v WHERE v.subject = ?1 AND v.space = ?2 AND v.memory = m.id)
   AND (m.kind <> 1
        OR EXISTS (SELECT 1 FROM vector AS o
                    WHERE o.subject = ?1 AND o.space IN (SELECT id FROM space) AND o.memory = m.id))
 LIMIT 1

-- name: lacks
-- A memory that was closed or erased since it was read gets no vector.
SELECT 1
  FROM hot AS h
 WHERE h.subject = ?1 AND h.memory = ?3
   AND NOT EXISTS (SELECT 1 FROM vector AS v WHERE v.subject = ?1 AND v.space = ?2 AND v.memory = ?3)

-- name: touch
UPDATE memory SET changed = ?3 WHERE subject = ?1 AND id = ?2

-- name: read_by
UPDATE subject SET space = ?2 WHERE key = ?1

-- name: other_spaces
-- Excludes the space in which the subject is read and the one it changes to. Empty if it is read in that of the settings:
-- no other was chosen, and the database does not know which one that is.
SELECT id
  FROM space
 WHERE id <> (SELECT space FROM subject WHERE key = ?1)
   AND id <> coalesce((SELECT id FROM space WHERE chosen_at IS NOT NULL ORDER BY chosen_at DESC LIMIT 1), 0)
   AND EXISTS (SELECT 1 FROM vector AS v WHERE v.subject = ?1 AND v.space = space.id)

-- name: drop_portion
DELETE FROM vector
 WHERE subject = ?1 AND space = ?2
   AND memory IN (SELECT memory FROM vector WHERE subject = ?1 AND space = ?2 ORDER BY memory LIMIT ?3)

-- name: space_names
SELECT name FROM space ORDER BY id

-- name: space_counts
SELECT p.name, p.dim,
       (SELECT count(*) FROM vector AS v WHERE v.space = p.id),
       (SELECT count(*) FROM subject AS s WHERE s.space = p.id)
  FROM space AS p
 ORDER BY p.chosen_at DESC NULLS LAST, p.id
