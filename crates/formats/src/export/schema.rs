//! The JSON Schema of the JSON export, for those who read or check it with other programs.

/// The schema, draft 2020-12.
pub fn json_schema() -> &'static str {
    include_str!("../../schema/dataset.schema.json")
}
