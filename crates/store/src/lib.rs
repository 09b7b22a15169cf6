//! The campaign store: one SQLite file, schema, migrations, append, read.
