-- asked_seq of the stage that makes episodes follows the conversation: what waits to be summed up, in whichever of a user's
-- conversations, is found by an index.
UPDATE formation
   SET asked_seq = (SELECT c.last_seq FROM conversation AS c WHERE c.subject = formation.home AND c.id = formation.conversation)
 WHERE stage = 'episodes' AND home = subject
   AND EXISTS (SELECT 1
                 FROM conversation AS c
                WHERE c.subject = formation.home AND c.id = formation.conversation AND c.last_seq > formation.asked_seq);
CREATE INDEX IF NOT EXISTS formation_summing ON formation (subject, profile) WHERE stage = 'episodes' AND formed_seq < asked_seq;
