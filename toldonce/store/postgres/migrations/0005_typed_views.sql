-- The views of 0001 with PostgreSQL's own types: ids are UUID, instants TIMESTAMPTZ, `metadata` is JSONB and `is_active`
-- a BOOLEAN. Also, a sentence whose link ended stays in `vectors`: its users are in users_vectors, and the reason in
-- memory_updates. Its "values" are NULL if no subject has it any more, because closed memories are not searched and have
-- no vector.
DROP VIEW app_memories, vectors, users_vectors, memory_updates, episodic_memory, structured_facts, rests_on, readable;

CREATE FUNCTION id_uuid(id BYTEA) RETURNS UUID LANGUAGE sql IMMUTABLE STRICT AS $body$
    SELECT CAST(encode(id, 'hex') AS UUID)
$body$;

CREATE FUNCTION instant(micros BIGINT) RETURNS TIMESTAMPTZ LANGUAGE sql IMMUTABLE STRICT AS $body$
    SELECT timestamptz '1970-01-01 00:00:00+00' + micros * interval '1 microsecond'
$body$;

CREATE VIEW readable AS
SELECT m.subject, m.id AS memory, m.kind, m.state, m.text, m.category, m.key, m.value, m.importance, m.confidence,
       CAST(m.detail AS JSONB) AS detail, m.number, s.name, id_uuid(m.id) AS id,
       CASE WHEN s.name LIKE 'user:%' THEN substr(s.name, 6) END AS user_id,
       instant(m.valid_from) AS true_from, instant(m.known_from) AS known_from,
       instant(coalesce(m.closed_at, m.known_from)) AS changed_at, instant_text(m.known_from) AS known_from_text
  FROM memory AS m
  JOIN subject AS s ON s.key = m.subject
 WHERE m.kind <> 3;

CREATE VIEW rests_on AS
SELECT e.subject, e.memory, min(e.place) AS place, coalesce(c.external_id, id_text(c.id)) AS conversation
  FROM evidence AS e
  JOIN conversation AS c ON c.subject = e.home AND c.id = e.conversation
 GROUP BY e.subject, e.memory, c.subject, c.id;

CREATE VIEW app_memories AS
SELECT r.number AS id, CASE WHEN strpos(r.name, '/') > 0 THEN substr(r.name, strpos(r.name, '/') + 1)
                            ELSE substr(r.name, length('app:') + 1) END AS app_id,
       r.text AS content, r.true_from AS created_at, r.known_from AS updated_at,
       (SELECT o.conversation FROM rests_on AS o WHERE o.subject = r.subject AND o.memory = r.memory
         ORDER BY o.place LIMIT 1) AS source_conversation_id,
       jsonb_build_object(
           'importance', round(CAST(10 * r.importance AS NUMERIC), 3),
           'tags', (SELECT coalesce(jsonb_agg(t.tag ORDER BY t.tag), '[]') FROM memory_tag AS t
                     WHERE t.subject = r.subject AND t.memory = r.memory),
           'relatedConversations', (SELECT coalesce(jsonb_agg(o.conversation ORDER BY o.place), '[]')
                                      FROM rests_on AS o
                                     WHERE o.subject = r.subject AND o.memory = r.memory)) AS metadata
  FROM readable AS r
 WHERE r.name LIKE 'app:%' AND r.state = 0 AND r.kind < 2;

CREATE VIEW vectors AS
SELECT DISTINCT ON (r.memory) r.id, v."values",
       jsonb_build_object('content', r.text, 'type', 'memory', 'created_at', r.known_from_text) AS metadata
  FROM readable AS r
  LEFT JOIN embedding AS v ON v.subject = r.subject AND v.memory = r.memory
 WHERE r.kind = 0 AND r.state IN (0, 2)
 ORDER BY r.memory, (v."values" IS NULL), r.known_from;

CREATE VIEW users_vectors AS
SELECT r.user_id, r.id AS vector_id
  FROM readable AS r
 WHERE r.user_id IS NOT NULL AND r.kind = 0 AND r.state = 0;

-- Each end of a user's memory, with its reason; new_vector_id is NULL if nothing replaced it.
CREATE VIEW memory_updates AS
SELECT id_uuid(d.id) AS id, d.user_id, id_uuid(d.old) AS old_vector_id, id_uuid(d.new) AS new_vector_id, d.reason,
       instant(d.at) AS created_at
  FROM (SELECT l.id, l.reason, l.at, substr(s.name, 6) AS user_id,
               CASE WHEN l.action IN ('replace', 'fold', 'merge') THEN l.target ELSE l.memory END AS old,
               CASE WHEN l.action IN ('replace', 'fold', 'merge') THEN l.memory END AS new
          FROM decision AS l
          JOIN subject AS s ON s.key = l.subject
         WHERE s.name LIKE 'user:%'
           AND (l.action IN ('replace', 'fold', 'close', 'abandon', 'unlink', 'expire', 'evict')
                -- Both may speak of what goes on: saying it again, and taking back its end.
                OR (l.action = 'merge' AND l.target <> l.memory OR l.action = 'undo')
                   AND EXISTS (SELECT 1 FROM memory AS m
                                WHERE m.subject = l.subject AND m.state = 2
                                  AND m.id = CASE l.action WHEN 'merge' THEN l.target ELSE l.memory END))) AS d
 WHERE d.old IS NOT NULL;

CREATE VIEW episodic_memory AS
SELECT r.id, r.user_id, 'turns ' || (r.detail ->> 'first_turn') || '-' || (r.detail ->> 'last_turn') AS turn_range,
       r.text AS summary, v."values" AS embedding, CAST(r.detail ->> 'first_turn' AS BIGINT) AS turn_start,
       CAST(r.detail ->> 'last_turn' AS BIGINT) AS turn_end, r.known_from AS created_at
  FROM readable AS r
  LEFT JOIN embedding AS v ON v.subject = r.subject AND v.memory = r.memory
 WHERE r.user_id IS NOT NULL AND r.kind = 2 AND r.state = 0;

CREATE VIEW structured_facts AS
SELECT r.id, r.user_id, r.category, r.key, r.value, r.confidence, r.importance, r.state = 0 AS is_active,
       r.changed_at AS updated_at
  FROM readable AS r
 WHERE r.user_id IS NOT NULL AND r.kind = 1;
