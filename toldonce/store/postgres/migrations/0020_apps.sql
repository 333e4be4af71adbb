-- `apps`, to which app_memories.app_id refers: one row for each app that was registered, has memories or had conversations.
-- users: of its conversations or of its memories, whichever are more. removed_at: when the last user uninstalled it.
CREATE INDEX IF NOT EXISTS conversation_app ON conversation (app) WHERE app IS NOT NULL;

-- What each subject has to do with an app: the memories it holds, or its conversations, or the registration. An app's name
-- follows the owner's, whose slashes are quoted.
CREATE VIEW app_shares AS
SELECT m.app AS app_id, s.name AS subject, count(*) AS memories, 0 AS conversations,
       CAST(NULL AS BIGINT) AS installed, CAST(NULL AS BIGINT) AS removed, max(m.known_from) AS used
  FROM memory AS m
  JOIN subject AS s ON s.key = m.subject
 WHERE m.app IS NOT NULL AND m.number IS NOT NULL AND m.state = 0 AND m.kind < 2
 GROUP BY m.app, s.name
UNION ALL
SELECT c.app, s.name, 0, count(*), NULL, NULL, max(c.updated_at)
  FROM conversation AS c
  JOIN subject AS s ON s.key = c.subject
 WHERE c.app IS NOT NULL
 GROUP BY c.app, s.name
UNION ALL
SELECT substr(o.rest, strpos(o.rest, '/') + 1), o.name, 0, 0, a.created_at, a.removed_at, NULL
  FROM app AS a
  JOIN (SELECT key, name, substr(name, strpos(name, 'app:') + 4) AS rest FROM subject) AS o ON o.key = a.subject;

CREATE VIEW apps AS
SELECT t.app_id AS id, greatest(t.talking, t.keeping) AS users, t.memories, t.conversations,
       instant(t.installed) AS installed_at, instant(t.removed) AS removed_at, instant(t.used) AS last_used_at
  FROM (SELECT app_id, CAST(sum(memories) AS BIGINT) AS memories, CAST(sum(conversations) AS BIGINT) AS conversations,
               count(DISTINCT CASE WHEN conversations > 0 THEN subject END) AS talking,
               count(DISTINCT CASE WHEN conversations = 0 THEN subject END) AS keeping, min(installed) AS installed,
               CASE WHEN count(installed) = count(removed) THEN max(removed) END AS removed, max(used) AS used
          FROM app_shares
         GROUP BY app_id) AS t;
