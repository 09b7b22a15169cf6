//! `for` in a declaration: one test for each combination of the values, `{key}` standing for the
//! value in every text.

use toml::{Table, Value};

/// More tests than this in one declaration are a mistake.
const MOST: usize = 10_000;

/// The tests that `table` stands for; itself when it has no `for`.
pub(super) fn expand(table: &Table) -> Result<Vec<Table>, String> {
    let mut base = table.clone();
    let axes = match base.remove("for") {
        None => return Ok(vec![base]),
        Some(Value::Table(axes)) => axes,
        Some(_) => return Err("`for` must be a table of lists, as for.block = [\"4k\"]".into()),
    };
    let mut tables = vec![base];
    for (key, values) in &axes {
        let Value::Array(values) = values else {
            return Err(format!("`for.{key}` must be a list"));
        };
        if tables.len() * values.len() > MOST {
            return Err(format!("`for` makes more than {MOST} tests; use fewer values"));
        }
        tables = tables
            .iter()
            .flat_map(|table| values.iter().map(|value| with(table, key, value)))
            .collect();
    }
    Ok(tables)
}

/// `table` with `{key}` replaced in every text and `key` set, unless it says otherwise itself.
fn with(table: &Table, key: &str, value: &Value) -> Table {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let pattern = format!("{{{key}}}");
    let mut filled: Table =
        table.iter().map(|(k, v)| (k.clone(), fill(v, &pattern, &text))).collect();
    filled.entry(key).or_insert_with(|| value.clone());
    filled
}

fn fill(value: &Value, pattern: &str, text: &str) -> Value {
    match value {
        Value::String(s) => Value::String(s.replace(pattern, text)),
        Value::Array(list) => Value::Array(list.iter().map(|v| fill(v, pattern, text)).collect()),
        Value::Table(table) => {
            let filled = table.iter().map(|(k, v)| (k.clone(), fill(v, pattern, text)));
            Value::Table(filled.collect())
        }
        other => other.clone(),
    }
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
