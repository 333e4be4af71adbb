-- Workers go from one subject with due work to the next, however much work each has.
CREATE INDEX IF NOT EXISTS formation_waiting ON formation (subject, due_at) WHERE due_at IS NOT NULL AND parked = 0;
