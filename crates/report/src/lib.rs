//! Sections build blocks, renderers turn blocks into terminal text, HTML, Markdown, JSON, CSV.
