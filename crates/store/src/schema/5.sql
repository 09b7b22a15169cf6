-- Schema 5: how a timed part went, interval by interval.

CREATE TABLE series (
    sample INTEGER PRIMARY KEY REFERENCES sample,
    -- As src/series.rs writes it.
    bytes  BLOB NOT NULL
) STRICT;
