//! Where to do it: file systems, backings, cache control, interlocks and the undo journal.
