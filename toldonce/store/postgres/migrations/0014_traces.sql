-- Traces of requests across conversations, newest first: each list is read by an index of its own.
--
-- recorded: when the turn was stored; rows appear in this order, while `at` is when the prompt was prepared. tenant: that of
-- the subject. request: JSON of how memory was asked: profile, keys of other subjects on the reading list, destination, number
-- of memories considered, milliseconds.
ALTER TABLE recall ADD COLUMN IF NOT EXISTS recorded BIGINT NOT NULL DEFAULT 0;
ALTER TABLE recall ADD COLUMN IF NOT EXISTS tenant TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE recall ADD COLUMN IF NOT EXISTS request TEXT NOT NULL DEFAULT '{}';

UPDATE recall SET recorded = at WHERE recorded = 0;

UPDATE recall
   SET tenant = substr(s.name, 2, strpos(s.name, '/') - 2)
  FROM subject AS s
 WHERE s.key = recall.subject AND recall.tenant = '' AND s.name > '@' AND s.name < 'A';

CREATE INDEX IF NOT EXISTS recall_recorded ON recall (recorded, id);
CREATE INDEX IF NOT EXISTS recall_tenant ON recall (tenant, recorded, id);
CREATE INDEX IF NOT EXISTS recall_subject ON recall (subject, recorded, id);

-- No samples of texts: see 0001.
ALTER TABLE recall ALTER COLUMN request SET STATISTICS 0;
