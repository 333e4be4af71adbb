-- Numbers of apps' memories are unique in the whole table and never given twice: see store/sql/app_numbers.py, which
-- renumbers what came twice. last: the last number that the subject gave; its count goes on behind it, whatever was erased.
-- Drawn ranges stand in meta, as numbers/<range>. memory.app: the app's own name, beside each number.
CREATE TABLE IF NOT EXISTS app_number (
    subject BIGINT PRIMARY KEY,
    last    BIGINT NOT NULL
);

ALTER TABLE memory ADD COLUMN IF NOT EXISTS app TEXT COLLATE "C";

-- An imported file could bring a number to a memory of no app.
UPDATE memory
   SET number = NULL
 WHERE number IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM subject AS s WHERE s.key = memory.subject AND s.name > 'app:' AND s.name < 'app;');
