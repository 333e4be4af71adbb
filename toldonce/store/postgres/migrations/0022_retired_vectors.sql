-- The vectors of a note that ended stay in `vector` under the negative number of their space, where no search reads
-- them, until the note is erased or is active again. So a vector that no user links any more has its "values" in
-- `vectors`. NULL are those of notes that were imported or ended before this version, and encrypted ones.
CREATE OR REPLACE VIEW embedding AS
SELECT DISTINCT ON (v.subject, v.memory) v.subject, v.memory, abs(v.space) AS space, v.embedding AS "values"
  FROM vector AS v
 WHERE v.chunk = 0
 ORDER BY v.subject, v.memory, abs(v.space) DESC;
