-- asked_seq of the stage that makes episodes follows the conversation: what waits to be summed up, in whichever of a user's
-- conversations, is found by an index.
-- Only conversations of the subject's own log are asked about together, and those are on the same machine.
UPDATE formation AS f
   SET asked_seq = c.last_seq
  FROM conversation AS c
 WHERE f.stage = 'episodes' AND f.home = f.subject
   AND c.subject = f.subject AND c.id = f.conversation AND c.last_seq > f.asked_seq;
CREATE INDEX IF NOT EXISTS formation_summing ON formation (subject, profile)
 WHERE stage = 'episodes' AND formed_seq < asked_seq;
