-- Traces of requests across conversations, newest first: each list is read by an index of its own.
--
-- recorded: when the turn was stored; rows appear in this order, while `at` is when the prompt was prepared. tenant: that of
-- the subject. request: JSON of how memory was asked: profile, keys of other subjects on the reading list, destination, number
-- of memories considered, milliseconds. The columns are added by `store/sqlite/migrate.py`.
UPDATE recall SET recorded = at WHERE recorded = 0;

UPDATE recall
   SET tenant = (SELECT substr(s.name, 2, instr(s.name, '/') - 2) FROM subject AS s WHERE s.key = recall.subject)
 WHERE tenant = '' AND subject IN (SELECT key FROM subject WHERE name > '@' AND name < 'A');

CREATE INDEX IF NOT EXISTS recall_recorded ON recall (recorded, id);
CREATE INDEX IF NOT EXISTS recall_tenant ON recall (tenant, recorded, id);
CREATE INDEX IF NOT EXISTS recall_subject ON recall (subject, recorded, id);
