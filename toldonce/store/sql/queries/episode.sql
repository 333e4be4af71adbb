-- The thread of a conversation, and which part of it episodes summarise.

-- Parents come before their children: the walk ends at the first message that is not after ?3.
-- name: path
WITH RECURSIVE up (seq, parent_seq) AS (
    SELECT leaf.seq, leaf.parent_seq
      FROM message AS leaf
     WHERE leaf.subject = ?1 AND leaf.conversation = ?2 AND leaf.seq > ?3
       AND leaf.seq = (SELECT last_seq FROM conversation WHERE subject = ?1 AND id = ?2)
     UNION ALL
    SELECT above.seq, above.parent_seq
      FROM up
     CROSS JOIN message AS above
        ON above.subject = ?1 AND above.conversation = ?2 AND above.seq = up.parent_seq
     WHERE up.parent_seq > ?3
)
SELECT seq, parent_seq, role, text, name, said_at, recorded_at, complete, hash, erased, zone
  FROM message
 WHERE subject = ?1 AND conversation = ?2 AND seq IN (SELECT seq FROM up)
 ORDER BY seq
 LIMIT ?4

-- Episodes have the tag of their conversation; decisions tell which ones an edit took back. The index is named because
-- SQLite otherwise reads all decisions of the subject for each episode.
-- name: spans matches: tag=2
SELECT m.id, m.state, m.detail, m.valid_from
  FROM memory_tag AS t
  JOIN memory AS m ON m.subject = ?1 AND m.id = t.memory
 WHERE t.subject = ?1 AND t.tag = ?2 AND m.kind = 2
   AND NOT EXISTS (SELECT 1
                     FROM decision AS d INDEXED BY decision_memory
                    WHERE d.subject = ?1 AND d.memory = m.id AND d.action = 'abandon')

-- name: chain
-- All episodes of a subject and a profile.
SELECT m.id, m.state, m.detail, m.valid_from
  FROM memory AS m INDEXED BY memory_listed
 WHERE m.subject = ?1 AND m.kind < 3 AND m.kind = 2 AND m.profile = ?2
   AND NOT EXISTS (SELECT 1
                     FROM decision AS d INDEXED BY decision_memory
                    WHERE d.subject = ?1 AND d.memory = m.id AND d.action = 'abandon')

-- name: newest_of_chain
SELECT m.id, m.state, m.detail, m.valid_from
  FROM memory AS m INDEXED BY memory_listed
 WHERE m.subject = ?1 AND m.kind < 3 AND m.kind = 2 AND m.profile = ?2 AND m.id < ?3
   AND NOT EXISTS (SELECT 1
                     FROM decision AS d INDEXED BY decision_memory
                    WHERE d.subject = ?1 AND d.memory = m.id AND d.action = 'abandon')
 ORDER BY m.id DESC
 LIMIT ?4

-- name: covered_after
-- Whether an episode rests on messages after the cursor: an erasure set it back.
SELECT EXISTS (SELECT 1
                 FROM evidence AS e INDEXED BY evidence_source
                 JOIN memory AS m ON m.subject = ?1 AND m.id = e.memory AND m.kind = 2
                WHERE e.home = ?2 AND e.conversation = ?3 AND e.seq > ?4 AND e.subject = ?1
                  AND NOT EXISTS (SELECT 1
                                    FROM decision AS d INDEXED BY decision_memory
                                   WHERE d.subject = ?1 AND d.memory = m.id AND d.action = 'abandon'))

-- A user's conversations with one profile that have messages after their cursor, with it; those of apps stay apart.

-- name: summing_oldest
SELECT c.id, c.external_id, c.created_at, c.updated_at, c.last_seq, c.profile, c.app, c.options, c.ended_at, c.end_reason,
       f.formed_seq, (SELECT m.said_at
                        FROM message AS m
                       WHERE m.subject = ?1 AND m.conversation = f.conversation AND m.seq > f.formed_seq
                       ORDER BY m.seq
                       LIMIT 1) AS began
  FROM formation AS f INDEXED BY formation_summing
  JOIN conversation AS c ON c.subject = ?1 AND c.id = f.conversation
 WHERE f.subject = ?1 AND f.profile = ?2 AND f.stage = 'episodes' AND f.formed_seq < f.asked_seq AND f.home = ?1
   AND c.app IS NULL
 ORDER BY began, c.id
 LIMIT ?3

-- name: summing_newest
SELECT c.id, c.external_id, c.created_at, c.updated_at, c.last_seq, c.profile, c.app, c.options, c.ended_at, c.end_reason,
       f.formed_seq, c.updated_at AS began
  FROM formation AS f INDEXED BY formation_summing
  JOIN conversation AS c ON c.subject = ?1 AND c.id = f.conversation
 WHERE f.subject = ?1 AND f.profile = ?2 AND f.stage = 'episodes' AND f.formed_seq < f.asked_seq AND f.home = ?1
   AND c.app IS NULL
 ORDER BY c.updated_at DESC, c.id DESC
 LIMIT ?3

-- name: summed_up_to
SELECT formed_seq
  FROM formation
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND profile = ?4 AND stage = 'episodes' AND version = ?5
