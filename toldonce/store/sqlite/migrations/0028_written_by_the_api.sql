-- A program that writes to a table of the systems that ToldOnce replaces is told why it takes nothing: rows past the
-- API would have no vector, no evidence and no decision, and what is deleted past it would leave them there.
CREATE TRIGGER IF NOT EXISTS apps_insert INSTEAD OF INSERT ON apps BEGIN
    SELECT RAISE(ABORT, 'apps is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS apps_update INSTEAD OF UPDATE ON apps BEGIN
    SELECT RAISE(ABORT, 'apps is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS apps_delete INSTEAD OF DELETE ON apps BEGIN
    SELECT RAISE(ABORT, 'apps is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS app_memories_insert INSTEAD OF INSERT ON app_memories BEGIN
    SELECT RAISE(ABORT, 'app_memories is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS app_memories_update INSTEAD OF UPDATE ON app_memories BEGIN
    SELECT RAISE(ABORT, 'app_memories is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS app_memories_delete INSTEAD OF DELETE ON app_memories BEGIN
    SELECT RAISE(ABORT, 'app_memories is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS vectors_insert INSTEAD OF INSERT ON vectors BEGIN
    SELECT RAISE(ABORT, 'vectors is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS vectors_update INSTEAD OF UPDATE ON vectors BEGIN
    SELECT RAISE(ABORT, 'vectors is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS vectors_delete INSTEAD OF DELETE ON vectors BEGIN
    SELECT RAISE(ABORT, 'vectors is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS users_vectors_insert INSTEAD OF INSERT ON users_vectors BEGIN
    SELECT RAISE(ABORT, 'users_vectors is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS users_vectors_update INSTEAD OF UPDATE ON users_vectors BEGIN
    SELECT RAISE(ABORT, 'users_vectors is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS users_vectors_delete INSTEAD OF DELETE ON users_vectors BEGIN
    SELECT RAISE(ABORT, 'users_vectors is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS memory_updates_insert INSTEAD OF INSERT ON memory_updates BEGIN
    SELECT RAISE(ABORT, 'memory_updates is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS memory_updates_update INSTEAD OF UPDATE ON memory_updates BEGIN
    SELECT RAISE(ABORT, 'memory_updates is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS memory_updates_delete INSTEAD OF DELETE ON memory_updates BEGIN
    SELECT RAISE(ABORT, 'memory_updates is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS episodic_memory_insert INSTEAD OF INSERT ON episodic_memory BEGIN
    SELECT RAISE(ABORT, 'episodic_memory is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS episodic_memory_update INSTEAD OF UPDATE ON episodic_memory BEGIN
    SELECT RAISE(ABORT, 'episodic_memory is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS episodic_memory_delete INSTEAD OF DELETE ON episodic_memory BEGIN
    SELECT RAISE(ABORT, 'episodic_memory is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS structured_facts_insert INSTEAD OF INSERT ON structured_facts BEGIN
    SELECT RAISE(ABORT, 'structured_facts is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS structured_facts_update INSTEAD OF UPDATE ON structured_facts BEGIN
    SELECT RAISE(ABORT, 'structured_facts is a view: memories are written by the API, with vectors and decisions');
END;
CREATE TRIGGER IF NOT EXISTS structured_facts_delete INSTEAD OF DELETE ON structured_facts BEGIN
    SELECT RAISE(ABORT, 'structured_facts is a view: memories are written by the API, with vectors and decisions');
END;
