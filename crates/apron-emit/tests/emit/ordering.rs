//! `docs/ORDERING.md` against the rules.

use apron_emit::Rule;

/// A row of the table.
pub(crate) struct Row {
    pub(crate) rule: String,
    pub(crate) meaning: String,
    pub(crate) source: String,
    pub(crate) advice: String,
    pub(crate) client: String,
}

/// The rows of the table, in its order.
pub(crate) fn rows() -> Vec<Row> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ORDERING.md");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_end_matches(" |").split(" | ").collect();
        let [rule, meaning, source, advice, client] = cells[..] else {
            panic!("five cells: {line}");
        };
        let rule = rule.trim_end_matches('`').to_owned();
        let [meaning, source, advice, client] =
            [meaning, source, advice, client].map(str::to_owned);
        Row {
            rule,
            meaning,
            source,
            advice,
            client,
        }
    })
    .collect()
}

#[test]
fn the_table_has_a_row_for_every_rule_in_order() {
    let rows: Vec<String> = rows().into_iter().map(|row| row.rule).collect();
    let rules: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
    assert_eq!(rows, rules);
}

#[test]
fn the_table_advises_what_a_violation_does() {
    for (row, rule) in rows().iter().zip(Rule::ALL) {
        assert_eq!(row.advice, rule.advice(), "{rule}");
        assert!(
            !row.meaning.is_empty() && row.source.contains('§'),
            "{rule}"
        );
        assert!(
            row.client.starts_with("yes") || row.client.starts_with("no"),
            "{rule}"
        );
    }
}
