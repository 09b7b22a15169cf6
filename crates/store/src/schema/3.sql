-- Schema 3: how long an attempt at a block took, so that a budget of time outlives an interruption.

ALTER TABLE block ADD COLUMN seconds REAL;
