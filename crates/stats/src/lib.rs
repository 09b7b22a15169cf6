//! Pure statistics: a dataset into findings. No clock, no I/O.
