-- What a transaction of one subject looks for is found by an index: what it costs must not grow with the subject, as
-- others wait for the one that writes.
CREATE INDEX IF NOT EXISTS tool_call_place ON tool_call (subject, conversation, seq);
CREATE INDEX IF NOT EXISTS decision_source ON decision (subject, conversation, seq) WHERE conversation IS NOT NULL;
CREATE INDEX IF NOT EXISTS insertion_quoting ON insertion (subject) WHERE quotes_messages = 1;
CREATE INDEX IF NOT EXISTS formation_leased ON formation (subject) WHERE lease_token IS NOT NULL;
CREATE INDEX IF NOT EXISTS formation_leased_on_log ON formation (home) WHERE lease_token IS NOT NULL;
CREATE INDEX IF NOT EXISTS formation_failed ON formation (subject) WHERE error IS NOT NULL;
CREATE INDEX IF NOT EXISTS formation_failed_on_log ON formation (home) WHERE error IS NOT NULL;
CREATE INDEX IF NOT EXISTS erasure_pending ON erasure (subject) WHERE cleaned_at IS NULL;
