-- Which embedder a database is embedded by, and by which each subject is read while that changes.

-- spec: JSON of how it is reached (types.EmbedderSpec), never a key; curve: JSON of what its cosines mean (types.Curve).
-- chosen_at: the newest is the one in use; NULL where it was never chosen, only used.
ALTER TABLE space ADD COLUMN spec TEXT;
ALTER TABLE space ADD COLUMN curve TEXT;
ALTER TABLE space ADD COLUMN chosen_at BIGINT;

-- The space that a subject's memories are read and written in; NULL while no embedder was ever chosen: the settings' own.
ALTER TABLE subject ADD COLUMN space BIGINT;
