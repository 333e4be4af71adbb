-- Quotations that are kept are listed among what is known; the others are many, and are not read for it.
CREATE INDEX IF NOT EXISTS memory_kept ON memory (subject, id) WHERE kind = 3 AND importance >= 0.6;
