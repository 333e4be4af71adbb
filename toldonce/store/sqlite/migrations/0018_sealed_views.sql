-- The view of episodes without their turns where details are encrypted, instead of an error.
DROP VIEW episodic_memory;

CREATE VIEW episodic_memory AS
SELECT r.id, r.user_id, 'turns ' || (d.detail ->> 'first_turn') || '-' || (d.detail ->> 'last_turn') AS turn_range,
       r.text AS summary, v."values" AS embedding, d.detail ->> 'first_turn' AS turn_start,
       d.detail ->> 'last_turn' AS turn_end, r.known_from AS created_at
  FROM readable AS r
  JOIN (SELECT subject, id, CASE WHEN json_valid(detail) THEN detail END AS detail FROM memory) AS d
    ON d.subject = r.subject AND d.id = r.memory
  LEFT JOIN embedding AS v ON v.memory = r.memory
 WHERE r.user_id IS NOT NULL AND r.kind = 2 AND r.state = 0;
