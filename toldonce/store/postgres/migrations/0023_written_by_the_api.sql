-- A program that writes to a table of the systems that ToldOnce replaces is told why it takes nothing: rows past the
-- API would have no vector, no evidence and no decision, and what is deleted past it would leave them there.
-- PostgreSQL passes writes to a view of one table on to that table, unless a trigger comes first.
CREATE OR REPLACE FUNCTION refuse_write() RETURNS TRIGGER LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION '% is a view: memories are written by the API, with vectors and decisions', TG_TABLE_NAME
        USING ERRCODE = 'object_not_in_prerequisite_state';
END
$body$;

CREATE OR REPLACE TRIGGER apps_written INSTEAD OF INSERT OR UPDATE OR DELETE ON apps
    FOR EACH ROW EXECUTE FUNCTION refuse_write();
CREATE OR REPLACE TRIGGER app_memories_written INSTEAD OF INSERT OR UPDATE OR DELETE ON app_memories
    FOR EACH ROW EXECUTE FUNCTION refuse_write();
CREATE OR REPLACE TRIGGER vectors_written INSTEAD OF INSERT OR UPDATE OR DELETE ON vectors
    FOR EACH ROW EXECUTE FUNCTION refuse_write();
CREATE OR REPLACE TRIGGER users_vectors_written INSTEAD OF INSERT OR UPDATE OR DELETE ON users_vectors
    FOR EACH ROW EXECUTE FUNCTION refuse_write();
CREATE OR REPLACE TRIGGER memory_updates_written INSTEAD OF INSERT OR UPDATE OR DELETE ON memory_updates
    FOR EACH ROW EXECUTE FUNCTION refuse_write();
CREATE OR REPLACE TRIGGER episodic_memory_written INSTEAD OF INSERT OR UPDATE OR DELETE ON episodic_memory
    FOR EACH ROW EXECUTE FUNCTION refuse_write();
CREATE OR REPLACE TRIGGER structured_facts_written INSTEAD OF INSERT OR UPDATE OR DELETE ON structured_facts
    FOR EACH ROW EXECUTE FUNCTION refuse_write();
