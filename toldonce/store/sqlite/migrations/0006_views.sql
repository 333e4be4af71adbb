-- Views with the table names of the systems that ToldOnce replaces, for people and programs that read with their own
-- SQL. They are read-only, and recall does not use them.
--
-- Ids are UUIDs as text, instants ISO 8601 in UTC. user_id is the user's name; views with it omit the memories of
-- sessions, apps, characters and shared subjects. Quotations of the log are in no view.

DROP VIEW vectors;
DROP VIEW users_vectors;
DROP VIEW memory_updates;

-- Basis of the other views: a memory with its id and instants as text, and its user; NULL if it is not a user's.
CREATE VIEW readable AS
SELECT m.subject, m.id AS memory, m.kind, m.state, m.text, m.category, m.key, m.value, m.importance, m.confidence,
       m.detail, m.number, s.name,
       lower(substr(hex(m.id), 1, 8) || '-' || substr(hex(m.id), 9, 4) || '-' || substr(hex(m.id), 13, 4) || '-'
             || substr(hex(m.id), 17, 4) || '-' || substr(hex(m.id), 21)) AS id,
       CASE WHEN s.name LIKE 'user:%' THEN substr(s.name, 6) END AS user_id,
       strftime('%Y-%m-%dT%H:%M:%fZ', m.valid_from / 1000000.0, 'unixepoch') AS true_from,
       strftime('%Y-%m-%dT%H:%M:%fZ', m.known_from / 1000000.0, 'unixepoch') AS known_from,
       strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(m.closed_at, m.known_from) / 1000000.0, 'unixepoch') AS changed_at
  FROM memory AS m
  JOIN subject AS s ON s.key = m.subject
 WHERE m.kind <> 3;

-- The newest vector of each note and episode: float32 numbers, least byte first, of its text (of the first chunk, where
-- there are several). A memory of several subjects appears once.
CREATE VIEW embedding AS
SELECT v.memory, max(v.space) AS space, substr(v.data, 1, 4 * p.dim) AS "values"
  FROM vector AS v
  JOIN space AS p ON p.id = v.space
 GROUP BY v.memory;

-- The conversations that a memory is based on, in order: the client's ids, or else the internal ones.
CREATE VIEW rests_on AS
SELECT e.subject, e.memory, min(e.place) AS place,
       coalesce(c.external_id, lower(substr(hex(c.id), 1, 8) || '-' || substr(hex(c.id), 9, 4) || '-'
                || substr(hex(c.id), 13, 4) || '-' || substr(hex(c.id), 17, 4) || '-' || substr(hex(c.id), 21)))
           AS conversation
  FROM evidence AS e
  JOIN conversation AS c ON c.subject = e.home AND c.id = e.conversation
 GROUP BY e.subject, e.memory, c.subject, c.id;

-- app_id is the app's own name; numbers are counted per user.
CREATE VIEW app_memories AS
SELECT r.number AS id, substr(r.name, coalesce(nullif(instr(r.name, '/'), 0), length('app:')) + 1) AS app_id,
       r.text AS content, r.true_from AS created_at, r.known_from AS updated_at,
       (SELECT o.conversation FROM rests_on AS o WHERE o.subject = r.subject AND o.memory = r.memory
         ORDER BY o.place LIMIT 1) AS source_conversation_id,
       json_object(
           'importance', round(10 * r.importance, 3),
           'tags', json((SELECT json_group_array(t.tag) FROM memory_tag AS t
                          WHERE t.subject = r.subject AND t.memory = r.memory)),
           'relatedConversations',
           json((SELECT json_group_array(o.conversation) FROM rests_on AS o
                  WHERE o.subject = r.subject AND o.memory = r.memory))) AS metadata
  FROM readable AS r
 WHERE r.name LIKE 'app:%' AND r.state = 0 AND r.kind < 2;

CREATE VIEW vectors AS
SELECT r.id, v."values",
       json_object('content', r.text, 'type', 'memory', 'created_at', min(r.known_from)) AS metadata
  FROM readable AS r
  JOIN embedding AS v ON v.memory = r.memory
 WHERE r.kind = 0 AND r.state = 0
 GROUP BY r.memory;

CREATE VIEW users_vectors AS
SELECT r.user_id, r.id AS vector_id
  FROM readable AS r
 WHERE r.user_id IS NOT NULL AND r.kind = 0 AND r.state = 0;

-- Each end of a user's memory, with its reason; new_vector_id is NULL if nothing replaced it.
CREATE VIEW memory_updates AS
SELECT lower(substr(hex(d.id), 1, 8) || '-' || substr(hex(d.id), 9, 4) || '-' || substr(hex(d.id), 13, 4) || '-'
             || substr(hex(d.id), 17, 4) || '-' || substr(hex(d.id), 21)) AS id,
       d.user_id,
       lower(substr(hex(d.old), 1, 8) || '-' || substr(hex(d.old), 9, 4) || '-' || substr(hex(d.old), 13, 4) || '-'
             || substr(hex(d.old), 17, 4) || '-' || substr(hex(d.old), 21)) AS old_vector_id,
       iif(d.new IS NULL, NULL,
           lower(substr(hex(d.new), 1, 8) || '-' || substr(hex(d.new), 9, 4) || '-' || substr(hex(d.new), 13, 4) || '-'
                 || substr(hex(d.new), 17, 4) || '-' || substr(hex(d.new), 21))) AS new_vector_id,
       d.reason, strftime('%Y-%m-%dT%H:%M:%fZ', d.at / 1000000.0, 'unixepoch') AS created_at
  FROM (SELECT l.id, l.reason, l.at, substr(s.name, 6) AS user_id,
               iif(l.action IN ('replace', 'fold', 'merge'), l.target, l.memory) AS old,
               iif(l.action IN ('replace', 'fold', 'merge'), l.memory, NULL) AS new
          FROM decision AS l
          JOIN subject AS s ON s.key = l.subject
         WHERE s.name LIKE 'user:%'
           AND (l.action IN ('replace', 'fold', 'close', 'abandon', 'unlink', 'expire', 'evict')
                -- Both may speak of what goes on: saying it again, and taking back its end.
                OR (l.action = 'merge' AND l.target <> l.memory OR l.action = 'undo')
                   AND EXISTS (SELECT 1 FROM memory AS m
                                WHERE m.subject = l.subject AND m.state = 2
                                  AND m.id = iif(l.action = 'merge', l.target, l.memory)))) AS d
 WHERE d.old IS NOT NULL;

CREATE VIEW episodic_memory AS
SELECT r.id, r.user_id, 'turns ' || (r.detail ->> 'first_turn') || '-' || (r.detail ->> 'last_turn') AS turn_range,
       r.text AS summary, v."values" AS embedding, r.detail ->> 'first_turn' AS turn_start,
       r.detail ->> 'last_turn' AS turn_end, r.known_from AS created_at
  FROM readable AS r
  LEFT JOIN embedding AS v ON v.memory = r.memory
 WHERE r.user_id IS NOT NULL AND r.kind = 2 AND r.state = 0;

-- Includes history: is_active is 1 for the current value of a slot.
CREATE VIEW structured_facts AS
SELECT r.id, r.user_id, r.category, r.key, r.value, r.confidence, r.importance, r.state = 0 AS is_active,
       r.changed_at AS updated_at
  FROM readable AS r
 WHERE r.user_id IS NOT NULL AND r.kind = 1;
