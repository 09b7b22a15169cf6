-- Schema 7: how each target fared in an attempt at a block. A turn that failed is tried again; the samples
-- of the last try that gave any count. Blocks of before, and imported ones, have no rows here.

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

ALTER TABLE sample ADD COLUMN try INTEGER NOT NULL DEFAULT 1;

-- Turns of blocks that were run to their end, without one that did what it should. A bare column beside
-- max() comes from the row of the maximum.
CREATE VIEW unfinished_turn AS
    SELECT * FROM (
        SELECT campaign, block, attempt, target, max(try) AS try, turn.state, kind, reason
        FROM last_attempt JOIN turn USING (campaign, block, attempt)
        WHERE last_attempt.state = 'done'
        GROUP BY campaign, block, attempt, target)
    WHERE state <> 'done';
