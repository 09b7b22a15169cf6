-- Schema 8: whether what a sample synced was seen to reach the medium. NULL where it synced nothing, and of what
-- was stored before anybody looked.

ALTER TABLE sample ADD COLUMN durability TEXT;
