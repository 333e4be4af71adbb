-- The views without details where these are encrypted, instead of an error.
CREATE OR REPLACE VIEW readable AS
SELECT m.subject, m.id AS memory, m.kind, m.state, m.text, m.category, m.key, m.value, m.importance, m.confidence,
       CASE WHEN left(m.detail, 1) = '{' THEN CAST(m.detail AS JSONB) END AS detail, m.number, s.name, id_uuid(m.id) AS id,
       CASE WHEN s.name LIKE 'user:%' THEN substr(s.name, 6) END AS user_id,
       instant(m.valid_from) AS true_from, instant(m.known_from) AS known_from,
       instant(coalesce(m.closed_at, m.known_from)) AS changed_at, instant_text(m.known_from) AS known_from_text
  FROM memory AS m
  JOIN subject AS s ON s.key = m.subject
 WHERE m.kind <> 3;
