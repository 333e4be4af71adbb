-- `app_memories` with an index for each way it is read: one memory by its number, those of an app by the time of creation
-- or update, all by these times. SQLite only uses an index on an expression that the view spells identically.
DROP INDEX IF EXISTS memory_number;
CREATE UNIQUE INDEX memory_number ON memory (number) WHERE number IS NOT NULL AND state = 0;

DROP INDEX IF EXISTS memory_app_created;
CREATE INDEX memory_app_created
    ON memory (app, CAST(strftime('%Y-%m-%dT%H:%M:%fZ', valid_from / 1000000.0, 'unixepoch') AS TEXT))
 WHERE number IS NOT NULL AND state = 0 AND kind < 2;
DROP INDEX IF EXISTS memory_app_updated;
CREATE INDEX memory_app_updated
    ON memory (app, CAST(strftime('%Y-%m-%dT%H:%M:%fZ', known_from / 1000000.0, 'unixepoch') AS TEXT))
 WHERE number IS NOT NULL AND state = 0 AND kind < 2;
DROP INDEX IF EXISTS memory_created;
CREATE INDEX memory_created ON memory (CAST(strftime('%Y-%m-%dT%H:%M:%fZ', valid_from / 1000000.0, 'unixepoch') AS TEXT))
 WHERE number IS NOT NULL AND state = 0 AND kind < 2;
DROP INDEX IF EXISTS memory_updated;
CREATE INDEX memory_updated ON memory (CAST(strftime('%Y-%m-%dT%H:%M:%fZ', known_from / 1000000.0, 'unixepoch') AS TEXT))
 WHERE number IS NOT NULL AND state = 0 AND kind < 2;

-- ToldOnce no longer reads `rests_on`, which SQLite reads completely for each memory; other programs may.
DROP VIEW IF EXISTS app_memories;

-- app_id is the app's own name; ids are unique in the table, across all users.
CREATE VIEW app_memories AS
SELECT m.number AS id, m.app AS app_id, m.text AS content,
       CAST(strftime('%Y-%m-%dT%H:%M:%fZ', m.valid_from / 1000000.0, 'unixepoch') AS TEXT) AS created_at,
       CAST(strftime('%Y-%m-%dT%H:%M:%fZ', m.known_from / 1000000.0, 'unixepoch') AS TEXT) AS updated_at,
       CAST((SELECT coalesce(c.external_id, lower(substr(hex(c.id), 1, 8) || '-' || substr(hex(c.id), 9, 4) || '-'
                        || substr(hex(c.id), 13, 4) || '-' || substr(hex(c.id), 17, 4) || '-' || substr(hex(c.id), 21)))
               FROM evidence AS e
               JOIN conversation AS c ON c.subject = e.home AND c.id = e.conversation
              WHERE e.subject = m.subject AND e.memory = m.id
              ORDER BY e.place
              LIMIT 1) AS TEXT) AS source_conversation_id,
       CAST(json_object(
           'importance', round(10 * m.importance, 3),
           'tags', json((SELECT json_group_array(t.tag) FROM memory_tag AS t
                          WHERE t.subject = m.subject AND t.memory = m.id)),
           'relatedConversations',
           json((SELECT json_group_array(o.conversation)
                   FROM (SELECT coalesce(c.external_id, lower(substr(hex(c.id), 1, 8) || '-' || substr(hex(c.id), 9, 4) || '-'
                            || substr(hex(c.id), 13, 4) || '-' || substr(hex(c.id), 17, 4) || '-' || substr(hex(c.id), 21))) AS conversation
                           FROM evidence AS e
                           JOIN conversation AS c ON c.subject = e.home AND c.id = e.conversation
                          WHERE e.subject = m.subject AND e.memory = m.id
                          GROUP BY c.subject, c.id
                          ORDER BY min(e.place)) AS o))) AS TEXT) AS metadata
  FROM memory AS m
 WHERE m.number IS NOT NULL AND m.state = 0 AND m.kind < 2;
