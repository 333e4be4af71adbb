-- Work that is still to be done. Only the listings across subjects do not name one.

-- name: make_due
INSERT INTO formation (subject, home, conversation, profile, stage, version, due_at, asked_seq)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT (subject, home, conversation, profile, stage, version)
    DO UPDATE SET due_at = excluded.due_at, asked_seq = excluded.asked_seq, idle = NULL

-- name: keep_waiting
INSERT INTO formation (subject, home, conversation, profile, stage, version, due_at, idle)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, CAST(?7 AS BIGINT) + ?8, ?8)
    ON CONFLICT (subject, home, conversation, profile, stage, version)
    DO UPDATE SET due_at = CASE WHEN formation.formed_seq < formation.asked_seq THEN formation.due_at
                                ELSE excluded.due_at END,
                  idle = excluded.idle

-- name: keep_counting
-- Not due by itself, but its turns count with those of other conversations.
INSERT INTO formation (subject, home, conversation, profile, stage, version, asked_seq)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT (subject, home, conversation, profile, stage, version)
    DO UPDATE SET asked_seq = excluded.asked_seq

-- name: turns_waiting
-- No more than are asked about: without a worker, all of a long conversation may wait. A question that was sent again
-- soon, below the answer to the first one, is no turn, except for the stage that sums all messages up.
SELECT count(*)
  FROM (SELECT 1
          FROM message AS m
         WHERE m.subject = ?2 AND m.conversation = ?3 AND m.role = 'user'
           AND (CAST(?5 AS TEXT) = 'episodes'
                OR NOT EXISTS (SELECT 1
                                 FROM message AS a
                                 JOIN message AS q ON q.subject = ?2 AND q.conversation = ?3 AND q.seq = a.parent_seq
                                WHERE a.subject = ?2 AND a.conversation = ?3 AND a.seq = m.parent_seq
                                  AND q.role = 'user' AND q.hash = m.hash
                                  AND m.recorded_at - q.recorded_at < ?8))
           AND m.seq > coalesce((SELECT formed_seq
                                 FROM formation
                                WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND profile = ?4 AND stage = ?5
                                  AND version = ?6), 0)
         LIMIT ?7) AS waiting

-- name: users_turns_waiting
-- The same over all conversations of a user but one, and those with an app.
SELECT count(*)
  FROM (SELECT 1
          FROM formation AS f INDEXED BY formation_summing
          JOIN conversation AS c ON c.subject = ?1 AND c.id = f.conversation AND c.app IS NULL
          JOIN message AS m ON m.subject = ?1 AND m.conversation = f.conversation AND m.role = 'user'
           AND m.seq > f.formed_seq
         WHERE f.subject = ?1 AND f.profile = ?3 AND f.stage = 'episodes' AND f.formed_seq < f.asked_seq AND f.home = ?1
           AND f.conversation <> ?2 AND f.version = ?4
         LIMIT ?5) AS waiting

-- name: ask
UPDATE formation
   SET asked_seq = ?4, due_at = ?5
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND formed_seq < ?4
RETURNING 1

-- name: due
-- Quotations come first: they need no model and should not wait for one.
SELECT s.name, h.name, f.conversation, f.profile, f.stage, f.version
  FROM formation AS f
  JOIN subject AS s ON s.key = f.subject
  JOIN subject AS h ON h.key = f.home
 WHERE f.due_at <= ?1 AND f.parked = 0 AND (f.lease_until IS NULL OR f.lease_until <= ?1)
 ORDER BY f.due_at, f.stage <> 'index', f.subject, f.home, f.conversation, f.profile, f.stage, f.version
 LIMIT ?2

-- name: next_subject
SELECT subject, home
  FROM formation
 WHERE subject > ?1 AND due_at <= ?2 AND parked = 0 AND (lease_until IS NULL OR lease_until <= ?2)
 ORDER BY subject
 LIMIT 1

-- name: due_of
-- The names of owners are read one by one: they may be on machines that are down, while this subject's is up.
SELECT s.name, f.home, f.conversation, f.profile, f.stage, f.version
  FROM formation AS f
  JOIN subject AS s ON s.key = f.subject
 WHERE f.subject = ?1 AND f.due_at <= ?2 AND f.due_at > ?4 AND f.parked = 0
   AND (f.lease_until IS NULL OR f.lease_until <= ?2)
 ORDER BY f.due_at, f.stage <> 'index', f.home, f.conversation, f.profile, f.stage, f.version
 LIMIT ?3

-- name: unindexed
-- Conversations of which a subject's newest quotations are still to be made, newest first.
SELECT s.name, f.home, f.conversation, f.profile, f.stage, f.version, f.formed_seq, f.asked_seq
  FROM formation AS f
  JOIN subject AS s ON s.key = f.subject
 WHERE f.subject = ?1 AND f.due_at IS NOT NULL AND f.parked = 0 AND f.stage = 'index' AND f.formed_seq < f.asked_seq
 ORDER BY f.due_at DESC, f.conversation DESC
 LIMIT ?2

-- name: next_due
SELECT min(max(due_at, coalesce(lease_until, due_at))) FROM formation WHERE due_at IS NOT NULL AND parked = 0

-- name: lease
UPDATE formation
   SET lease_token = ?7, lease_until = ?8, attempts = attempts + 1
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND profile = ?4 AND stage = ?5 AND version = ?6
   AND due_at <= ?9 AND parked = 0 AND (lease_until IS NULL OR lease_until <= ?9)
RETURNING attempts, formed_seq

-- name: renew
UPDATE formation
   SET lease_until = ?8
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND profile = ?4 AND stage = ?5 AND version = ?6
   AND lease_token = ?7 AND lease_until > ?9
RETURNING 1

-- name: free_leases
UPDATE formation INDEXED BY formation_leased SET lease_token = NULL, lease_until = NULL WHERE lease_token IS NOT NULL

-- name: from_future
SELECT EXISTS (SELECT 1
                 FROM formation
                WHERE due_at IS NOT NULL AND parked = 0 AND (due_at > ?1 OR lease_until > ?1))

-- name: back_from_future
UPDATE formation
   SET due_at = CASE WHEN due_at > ?1 THEN ?2 ELSE due_at END,
       lease_token = CASE WHEN lease_until > ?1 THEN NULL ELSE lease_token END,
       lease_until = CASE WHEN lease_until > ?1 THEN NULL ELSE lease_until END
 WHERE due_at IS NOT NULL AND parked = 0 AND (due_at > ?1 OR lease_until > ?1)

-- name: holds
SELECT formed_seq, asked_seq, idle
  FROM formation
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND profile = ?4 AND stage = ?5 AND version = ?6
   AND lease_token = ?7 AND lease_until > ?8

-- name: advance
UPDATE formation
   SET formed_seq = ?7, due_at = ?8, attempts = 0, error = NULL, lease_token = NULL, lease_until = NULL
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND profile = ?4 AND stage = ?5 AND version = ?6

-- name: advance_beside
-- The row's own lease, due time and error stay: its formation reads the cursor again.
UPDATE formation
   SET formed_seq = ?7
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND profile = ?4 AND stage = ?5 AND version = ?6

-- name: postpone seals: 8
UPDATE formation
   SET due_at = ?7, error = ?8, attempts = attempts - ?9, lease_token = NULL, lease_until = NULL
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND profile = ?4 AND stage = ?5 AND version = ?6

-- name: park seals: 7
UPDATE formation
   SET parked = 1, error = ?7, lease_token = NULL, lease_until = NULL
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND profile = ?4 AND stage = ?5 AND version = ?6

-- name: unpark
UPDATE formation
   SET parked = 0, attempts = 0, due_at = ?7
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND profile = ?4 AND stage = ?5 AND version = ?6
   AND parked = 1
RETURNING 1

-- name: skip
UPDATE formation
   SET formed_seq = ?7, due_at = NULL, idle = NULL, parked = 0, attempts = 0, error = NULL, lease_token = NULL,
       lease_until = NULL
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND profile = ?4 AND stage = ?5 AND version = ?6

-- name: formations
SELECT s.name, h.name, f.conversation, f.profile, f.stage, f.version,
       f.formed_seq, c.last_seq, f.due_at, f.attempts, f.parked, f.error
  FROM formation AS f
  JOIN subject AS s ON s.key = f.subject
  JOIN subject AS h ON h.key = f.home
  JOIN conversation AS c ON c.subject = f.home AND c.id = f.conversation
 WHERE (f.parked = ?1 OR ?1 IS NULL) AND s.name > ?3 AND s.name < ?4
   AND (coalesce(f.due_at, 9223372036854775807), f.subject, f.conversation, f.profile, f.stage, f.version)
     > (?5, ?6, ?7, ?8, ?9, ?10)
 ORDER BY coalesce(f.due_at, 9223372036854775807), f.subject, f.conversation, f.profile, f.stage, f.version
 LIMIT ?2

-- name: formations_of
SELECT s.name, h.name, f.conversation, f.profile, f.stage, f.version,
       f.formed_seq, c.last_seq, f.due_at, f.attempts, f.parked, f.error
  FROM formation AS f
  JOIN subject AS s ON s.key = f.subject
  JOIN subject AS h ON h.key = f.home
  JOIN conversation AS c ON c.subject = f.home AND c.id = f.conversation
 WHERE f.subject = ?3 AND (f.parked = ?1 OR ?1 IS NULL)
   AND (coalesce(f.due_at, 9223372036854775807), f.subject, f.conversation, f.profile, f.stage, f.version)
     > (?4, ?5, ?6, ?7, ?8, ?9)
 ORDER BY coalesce(f.due_at, 9223372036854775807), f.subject, f.conversation, f.profile, f.stage, f.version
 LIMIT ?2

-- name: formed_by_another
SELECT EXISTS (SELECT 1
                 FROM formation
                WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND profile = ?4 AND stage = ?5 AND version <> ?6)
