-- Whether any key is valid is asked while there may be none: revoked and expired ones must not make that slow.
CREATE INDEX IF NOT EXISTS api_key_valid ON api_key (expires_at) WHERE revoked_at IS NULL;
