-- The vectors of a note that ended stay in `vector` under the negative number of their space, where no search reads
-- them, until the note is erased or is active again. So a vector that no user links any more has its "values" in
-- `vectors`. NULL are those of notes that were imported or ended before this version, and encrypted ones: their
-- length tells them.
DROP VIEW IF EXISTS embedding;

CREATE VIEW embedding AS
SELECT v.memory, max(abs(v.space)) AS space,
       CASE WHEN length(v.data) % 4 = 0 THEN substr(v.data, 1, 4 * p.dim) END AS "values"
  FROM vector AS v
  JOIN space AS p ON p.id = abs(v.space)
 GROUP BY v.memory;
