-- A sentence whose link ended stays in `vectors`: its users are in users_vectors, and the reason in memory_updates. Its
-- "values" are NULL if no subject has it any more, because closed memories are not searched and have no vector.
DROP VIEW vectors;

CREATE VIEW vectors AS
SELECT r.id, v."values",
       json_object('content', r.text, 'type', 'memory', 'created_at', min(r.known_from)) AS metadata
  FROM readable AS r
  LEFT JOIN embedding AS v ON v.memory = r.memory
 WHERE r.kind = 0 AND r.state IN (0, 2)
 GROUP BY r.memory;
