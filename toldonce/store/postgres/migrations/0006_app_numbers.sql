-- Numbers of apps' memories are unique in the whole table and never reused: see store/sql/app_numbers.py, which renumbers
-- duplicates. last: the last number that the subject used; its count continues from there even after erasing. Drawn ranges
-- are in meta, as numbers/<range>. memory.app: name of the app, stored with each number.
CREATE TABLE IF NOT EXISTS app_number (
    subject BIGINT PRIMARY KEY,
    last    BIGINT NOT NULL
);

ALTER TABLE memory ADD COLUMN IF NOT EXISTS app TEXT COLLATE "C";

-- An imported file could contain a number for a memory that belongs to no app.
UPDATE memory
   SET number = NULL
 WHERE number IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM subject AS s WHERE s.key = memory.subject AND s.name > 'app:' AND s.name < 'app;');
