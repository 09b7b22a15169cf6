//! Importers and exporters: another tool's bytes into samples, and back.
