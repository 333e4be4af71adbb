-- zone: the time zone in which a message was said, as a place or an offset; NULL where only the instant is known.
ALTER TABLE message ADD COLUMN IF NOT EXISTS zone TEXT;
