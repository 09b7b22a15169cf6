-- Schema 9: what a test is, for those who decide by it, apart from its names. NULL in only_writes of what was stored
-- before: there its names have to do. The others are NULL where the test has no place in a grid, too.

ALTER TABLE test ADD COLUMN only_writes INTEGER CHECK (only_writes IN (0, 1));
ALTER TABLE test ADD COLUMN grid TEXT;
ALTER TABLE test ADD COLUMN grid_block_bytes INTEGER;
ALTER TABLE test ADD COLUMN grid_threads INTEGER;
