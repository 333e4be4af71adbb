-- The embedder of the database, and that of each subject while the database changes to another.

-- spec: JSON of how to open it (types.EmbedderSpec), never with a key; curve: JSON of its calibration (types.Curve).
-- chosen_at: the newest is the one in use; NULL if it was only used and never chosen.
ALTER TABLE space ADD COLUMN spec TEXT;
ALTER TABLE space ADD COLUMN curve TEXT;
ALTER TABLE space ADD COLUMN chosen_at INTEGER;

-- The space in which a subject's memories are read and written; NULL if no embedder was chosen: that of the settings.
ALTER TABLE subject ADD COLUMN space INTEGER;
