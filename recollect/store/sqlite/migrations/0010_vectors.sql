-- A sentence whose link ended stays in `vectors`: users_vectors alone says whose it is, and memory_updates why it ended.
-- Its "values" are NULL where no subject holds it any more, as what is closed takes part in no search and has no vector.
DROP VIEW vectors;

CREATE VIEW vectors AS
SELECT r.id, v."values",
       json_object('content', r.text, 'type', 'memory', 'created_at', min(r.known_from)) AS metadata
  FROM readable AS r
  LEFT JOIN embedding AS v ON v.memory = r.memory
 WHERE r.kind = 0 AND r.state IN (0, 2)
 GROUP BY r.memory;
