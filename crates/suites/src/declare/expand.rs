//! `for` in a declaration: one test for each combination of the values, `{key}` standing for the
//! value in every text.

use toml::{Table, Value};

/// More tests than this in one declaration are a mistake.
pub(super) const MOST: usize = 10_000;
/// Longest text that filling may make, bytes.
const LONGEST_BYTES: usize = 64 << 10;

/// The tests that `table` stands for; itself when it has no `for`.
pub(super) fn expand(table: &Table) -> Result<Vec<Table>, String> {
    let mut base = table.clone();
    let axes = match base.remove("for") {
        None => return Ok(vec![base]),
        Some(Value::Table(axes)) => axes,
        Some(_) => return Err("`for` must be a table of lists, e.g. for.block = [\"4k\"]".into()),
    };
    let mut tables = vec![base];
    for (key, values) in &axes {
        let Value::Array(values) = values else {
            return Err(format!("`for.{key}` must be a list"));
        };
        if tables.len() * values.len() > MOST {
            return Err(format!("`for` expands to more than {MOST} tests; use fewer values"));
        }
        tables = tables
            .iter()
            .flat_map(|table| values.iter().map(|value| with(table, key, value)))
            .collect::<Result<_, _>>()?;
    }
    Ok(tables)
}

/// `table` with `{key}` replaced in every text and `key` set, unless it says otherwise itself.
fn with(table: &Table, key: &str, value: &Value) -> Result<Table, String> {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let pattern = format!("{{{key}}}");
    let mut filled = fill_table(table, &pattern, &text)?;
    filled.entry(key).or_insert_with(|| value.clone());
    Ok(filled)
}

fn fill_table(table: &Table, pattern: &str, text: &str) -> Result<Table, String> {
    table.iter().map(|(k, v)| Ok((k.clone(), fill(v, pattern, text)?))).collect()
}

fn fill(value: &Value, pattern: &str, text: &str) -> Result<Value, String> {
    Ok(match value {
        Value::String(s) => {
            let grown = s.matches(pattern).count().saturating_mul(text.len());
            if grown > LONGEST_BYTES {
                return Err(format!("`for` expands to a string longer than {LONGEST_BYTES} bytes"));
            }
            Value::String(s.replace(pattern, text))
        }
        Value::Array(list) => {
            let filled = list.iter().map(|v| fill(v, pattern, text));
            Value::Array(filled.collect::<Result<_, _>>()?)
        }
        Value::Table(table) => Value::Table(fill_table(table, pattern, text)?),
        other => other.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Result<Vec<String>, String> {
        let tables = expand(&text.parse().unwrap())?;
        Ok(tables.iter().map(|t| t["id"].as_str().unwrap().to_string()).collect())
    }

    #[test]
    fn every_combination_is_one_test() {
        let text = "id = 'x.{a}.{b}'\nfor.a = ['p', 'q']\nfor.b = [1, 2]";
        assert_eq!(ids(text).unwrap(), ["x.p.1", "x.p.2", "x.q.1", "x.q.2"]);
        let tables = expand(&text.parse().unwrap()).unwrap();
        assert_eq!(tables[3]["b"], Value::Integer(2));
        assert_eq!(ids("id = 'plain {c}'").unwrap(), ["plain {c}"]);
    }

    #[test]
    fn mistakes_are_refused() {
        assert!(ids("id = 'x'\nfor = 3").unwrap_err().contains("table of lists"));
        assert!(ids("id = 'x'\nfor.a = 3").unwrap_err().contains("list"));
        let many = format!("id = 'x'\nfor.a = {0:?}\nfor.b = {0:?}\nfor.c = {0:?}", [0; 30]);
        assert!(ids(&many).unwrap_err().contains("fewer"));
    }
}
