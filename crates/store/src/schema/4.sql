-- Schema 4: the kind of lab that a target was last made in, and each sample was measured in. What is
-- older was measured on the host.

ALTER TABLE target ADD COLUMN lab TEXT NOT NULL DEFAULT 'host';
ALTER TABLE sample ADD COLUMN lab TEXT NOT NULL DEFAULT 'host';
