-- Distribution of tables over a Citus cluster.

-- name: version
SELECT extversion FROM pg_extension WHERE extname = 'citus'

-- name: is_coordinator
SELECT citus_is_coordinator()

-- name: nodes
SELECT count(*), count(*) FILTER (WHERE noderole = 'primary' AND isactive AND shouldhaveshards) FROM pg_dist_node

-- name: tables
-- Each table of the schema, its distribution column (none: it is a copy on every node), and how it is distributed now.
SELECT c.relname,
       CASE WHEN c.relname = 'subject' THEN 'key'
            WHEN EXISTS (SELECT 1 FROM pg_attribute AS a
                          WHERE a.attrelid = c.oid AND a.attname = 'subject' AND NOT a.attisdropped) THEN 'subject' END,
       CAST(d.partmethod AS TEXT),
       CASE WHEN d.partmethod = 'h' THEN column_to_column_name(d.logicalrelid, d.partkey) END,
       d.colocationid
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  LEFT JOIN pg_dist_partition AS d ON d.logicalrelid = c.oid
 WHERE n.nspname = ?1 AND c.relkind = 'r'
 ORDER BY c.relname

-- name: copy_to_all
SELECT create_reference_table(CAST(CAST(?1 AS TEXT) AS REGCLASS))

-- name: distribute_subjects
SELECT create_distributed_table('subject', 'key', colocate_with => 'none', shard_count => ?1)

-- name: distribute
SELECT create_distributed_table(CAST(CAST(?1 AS TEXT) AS REGCLASS), 'subject', colocate_with => 'subject')

-- name: spread_sources
-- The owner of a conversation may be on another node than who remembers it: the conversations are read once and sent there.
-- `app_memories` reads this view. On one server the definition of the migrations is faster: it reads by index.
CREATE OR REPLACE VIEW rests_on AS
WITH home AS MATERIALIZED (SELECT subject, id, external_id FROM conversation)
SELECT e.subject, e.memory, min(e.place) AS place, coalesce(c.external_id, id_text(c.id)) AS conversation
  FROM evidence AS e
  JOIN home AS c ON c.subject = e.home AND c.id = e.conversation
 GROUP BY e.subject, e.memory, c.subject, c.id, c.external_id

-- name: allow_triggers
-- The schema's trigger refuses updates of decisions and touches no other row, so it is safe on the shards.
SET LOCAL citus.enable_unsafe_triggers = on
