-- Nested data that is never searched (plan, environment, notes, facts) is JSON text. A u64 is stored as the i64 with
-- the same bits. A campaign's number is its place in time.

CREATE TABLE campaign (
    number        INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    created       TEXT NOT NULL,
    title         TEXT NOT NULL,
    origin        TEXT NOT NULL,
    state         TEXT NOT NULL,
    assay_version TEXT NOT NULL,
    plan          TEXT NOT NULL,
    scale         REAL NOT NULL,
    seed          INTEGER NOT NULL,
    environment   TEXT NOT NULL,
    notes         TEXT NOT NULL,
    -- By which the program knows that it began the campaign itself. An imported one has none and is not run.
    mark          TEXT
) STRICT;

CREATE TABLE target (
    campaign INTEGER NOT NULL REFERENCES campaign,
    position INTEGER NOT NULL,
    label    TEXT NOT NULL,
    target   TEXT NOT NULL,
    failure  TEXT,
    facts    TEXT NOT NULL,
    -- The kind of lab in which it was last made.
    lab      TEXT NOT NULL,
    PRIMARY KEY (campaign, label)
) STRICT, WITHOUT ROWID;

CREATE TABLE test (
    campaign         INTEGER NOT NULL REFERENCES campaign,
    position         INTEGER NOT NULL,
    id               TEXT NOT NULL,
    suite            TEXT NOT NULL,
    name             TEXT NOT NULL,
    testtype         TEXT NOT NULL,
    "group"          TEXT NOT NULL,
    metric           TEXT NOT NULL,
    unit             TEXT NOT NULL,
    better           TEXT NOT NULL,
    -- NULL where it is not known, as of most tests of other tools.
    only_writes      INTEGER CHECK (only_writes IN (0, 1)),
    -- NULL where the test has no place in a grid.
    grid             TEXT,
    grid_block_bytes INTEGER,
    grid_threads     INTEGER,
    PRIMARY KEY (campaign, id)
) STRICT, WITHOUT ROWID;

-- One row for each attempt at a block. An interrupted block is run again as a whole.
CREATE TABLE block (
    campaign INTEGER NOT NULL REFERENCES campaign,
    block    INTEGER NOT NULL,
    attempt  INTEGER NOT NULL,
    state    TEXT NOT NULL CHECK (state IN ('open', 'done')),
    "order"  TEXT NOT NULL,
    -- How long it took, so that a budget of time outlives an interruption. NULL where it was imported or is open.
    seconds  REAL,
    PRIMARY KEY (campaign, block, attempt)
) STRICT, WITHOUT ROWID;

-- The attempt that counts. A bare column beside max() comes from the row of the maximum.
CREATE VIEW last_attempt AS
    SELECT campaign, block, max(attempt) AS attempt, state FROM block GROUP BY campaign, block;

-- How each target fared in an attempt at a block. A turn that failed is tried again; the samples of the last try that
-- gave any count. Imported blocks have no rows here.
CREATE TABLE turn (
    campaign INTEGER NOT NULL REFERENCES campaign,
    block    INTEGER NOT NULL,
    attempt  INTEGER NOT NULL,
    target   TEXT NOT NULL,
    -- From 1.
    try      INTEGER NOT NULL,
    state    TEXT NOT NULL CHECK (state IN ('open', 'done', 'failed')),
    -- Of a failure.
    kind     TEXT,
    reason   TEXT,
    seconds  REAL,
    PRIMARY KEY (campaign, block, attempt, target, try),
    FOREIGN KEY (campaign, block, attempt) REFERENCES block,
    FOREIGN KEY (campaign, target) REFERENCES target
) STRICT, WITHOUT ROWID;

-- Turns of blocks that were run to their end, without one that did what it should. A bare column beside max() comes
-- from the row of the maximum.
CREATE VIEW unfinished_turn AS
    SELECT * FROM (
        SELECT campaign, block, attempt, target, max(try) AS try, turn.state, kind, reason
        FROM last_attempt JOIN turn USING (campaign, block, attempt)
        WHERE last_attempt.state = 'done'
        GROUP BY campaign, block, attempt, target)
    WHERE state <> 'done';

CREATE TABLE sample (
    number             INTEGER PRIMARY KEY,
    campaign           INTEGER NOT NULL,
    block              INTEGER NOT NULL,
    attempt            INTEGER NOT NULL,
    position           INTEGER NOT NULL,
    target             TEXT NOT NULL,
    suite              TEXT NOT NULL,
    test               TEXT NOT NULL,
    procs              INTEGER NOT NULL,
    threads            INTEGER NOT NULL,
    cache              TEXT NOT NULL,
    bytes              INTEGER NOT NULL,
    ops                INTEGER NOT NULL,
    seconds            REAL NOT NULL,
    skew_ms            REAL NOT NULL,
    overlap            REAL NOT NULL,
    device_read_bytes  INTEGER,
    device_write_bytes INTEGER,
    cpu_user_s         REAL NOT NULL,
    cpu_sys_s          REAL NOT NULL,
    limiter            TEXT NOT NULL,
    validity           TEXT NOT NULL,
    -- The kind of lab in which it was measured.
    lab                TEXT NOT NULL,
    try                INTEGER NOT NULL,
    -- Whether what it synced was seen to reach the medium. NULL where it synced nothing or nobody looked.
    durability         TEXT,
    -- JSON: what a fault made on purpose left. NULL where none was made.
    after_fault        TEXT,
    FOREIGN KEY (campaign, block, attempt) REFERENCES block,
    FOREIGN KEY (campaign, target) REFERENCES target,
    FOREIGN KEY (campaign, test) REFERENCES test
) STRICT;

CREATE INDEX sample_by_block ON sample (campaign, block, attempt, position);

-- Name, unit and direction of a metric, once for all samples.
CREATE TABLE metric_kind (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL,
    unit   TEXT NOT NULL,
    better TEXT NOT NULL,
    UNIQUE (name, unit, better)
) STRICT;

CREATE TABLE metric (
    sample   INTEGER NOT NULL REFERENCES sample,
    position INTEGER NOT NULL,
    kind     INTEGER NOT NULL REFERENCES metric_kind,
    value    REAL NOT NULL,
    PRIMARY KEY (sample, position)
) STRICT, WITHOUT ROWID;

-- The latencies of a sample. A row is too long for a table without row ids.
CREATE TABLE histogram (
    sample   INTEGER NOT NULL REFERENCES sample,
    position INTEGER NOT NULL,
    op       TEXT NOT NULL,
    latency  TEXT NOT NULL CHECK (latency IN ('service', 'response')),
    -- As src/bins.rs writes them.
    bins     BLOB NOT NULL,
    PRIMARY KEY (sample, position)
) STRICT;

-- How a timed part went, interval by interval.
CREATE TABLE series (
    sample INTEGER PRIMARY KEY REFERENCES sample,
    -- As src/series.rs writes it.
    bytes  BLOB NOT NULL
) STRICT;

-- From what states with harm can be made again.
CREATE TABLE recording (
    campaign INTEGER NOT NULL REFERENCES campaign,
    block    INTEGER NOT NULL,
    target   TEXT NOT NULL,
    test     TEXT NOT NULL,
    -- As the crate faults writes it, compressed by gzip.
    bytes    BLOB NOT NULL,
    PRIMARY KEY (campaign, block, target, test)
) STRICT;
