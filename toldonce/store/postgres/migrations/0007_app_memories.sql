-- `app_memories` with an index for each way it is read: one memory by its number, those of an app by the time of creation
-- or update, all by these times. `memory_number` keeps numbers unique within a subject, because it must contain the
-- distribution column; across subjects the drawn ranges keep them unique.
CREATE INDEX IF NOT EXISTS memory_by_number ON memory (number) WHERE number IS NOT NULL AND state = 0 AND kind < 2;
CREATE INDEX IF NOT EXISTS memory_app_created
    ON memory (app, to_timestamp(valid_from / CAST(1000000 AS DOUBLE PRECISION)))
 WHERE number IS NOT NULL AND state = 0 AND kind < 2;
CREATE INDEX IF NOT EXISTS memory_app_updated
    ON memory (app, to_timestamp(known_from / CAST(1000000 AS DOUBLE PRECISION)))
 WHERE number IS NOT NULL AND state = 0 AND kind < 2;
CREATE INDEX IF NOT EXISTS memory_created ON memory (to_timestamp(valid_from / CAST(1000000 AS DOUBLE PRECISION)))
 WHERE number IS NOT NULL AND state = 0 AND kind < 2;
CREATE INDEX IF NOT EXISTS memory_updated ON memory (to_timestamp(known_from / CAST(1000000 AS DOUBLE PRECISION)))
 WHERE number IS NOT NULL AND state = 0 AND kind < 2;

DROP VIEW app_memories;

-- app_id is the app's own name; ids are unique in the table, across all users.
CREATE VIEW app_memories AS
SELECT m.number AS id, m.app AS app_id, m.text AS content,
       to_timestamp(m.valid_from / CAST(1000000 AS DOUBLE PRECISION)) AS created_at,
       to_timestamp(m.known_from / CAST(1000000 AS DOUBLE PRECISION)) AS updated_at,
       (SELECT o.conversation FROM rests_on AS o WHERE o.subject = m.subject AND o.memory = m.id
         ORDER BY o.place LIMIT 1) AS source_conversation_id,
       jsonb_build_object(
           'importance', round(CAST(10 * m.importance AS NUMERIC), 3),
           'tags', (SELECT coalesce(jsonb_agg(t.tag ORDER BY t.tag), '[]') FROM memory_tag AS t
                     WHERE t.subject = m.subject AND t.memory = m.id),
           'relatedConversations', (SELECT coalesce(jsonb_agg(o.conversation ORDER BY o.place), '[]')
                                      FROM rests_on AS o
                                     WHERE o.subject = m.subject AND o.memory = m.id)) AS metadata
  FROM memory AS m
 WHERE m.number IS NOT NULL AND m.state = 0 AND m.kind < 2;
