-- Schema 6: the mark of a campaign, by which the program knows that it began the campaign itself. What is
-- older, or was imported, has none and is not run.

ALTER TABLE campaign ADD COLUMN mark TEXT;
