-- Schema 2: the latencies of a sample. A row is too long for a table without row ids.

CREATE TABLE histogram (
    sample   INTEGER NOT NULL REFERENCES sample,
    position INTEGER NOT NULL,
    op       TEXT NOT NULL,
    latency  TEXT NOT NULL CHECK (latency IN ('service', 'response')),
    -- As src/bins.rs writes them.
    bins     BLOB NOT NULL,
    PRIMARY KEY (sample, position)
) STRICT;
