//! Holds `docs/OPENAI.md` to the code.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use apron_openai::FailureCode;

/// The cells of every table row on the page.
fn rows() -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/OPENAI.md");
    let page = fs::read_to_string(path).unwrap();
    let rows = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    rows.map(|row| row.split(" | ").map(str::to_owned).collect())
        .collect()
}

/// The names of all tests in this suite.
fn tests() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/quirks");
    let mut names = BTreeSet::new();
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for after in text.split("#[test]\n").skip(1) {
            let name = after
                .trim_start()
                .strip_prefix("fn ")
                .and_then(|it| it.split_once('('));
            names.insert(name.unwrap().0.to_owned());
        }
    }
    names
}

/// The test that a row names in its last cell.
fn test_of(row: &[String]) -> &str {
    row.last().unwrap().trim_matches('`')
}

#[test]
fn every_quirk_has_its_own_test() {
    let (rows, tests) = (rows(), tests());
    let mut seen = BTreeSet::new();
    for number in 1..=65 {
        let number = number.to_string();
        let mut found = rows.iter().filter(|row| row.len() == 4 && row[0] == number);
        let row = found
            .next()
            .unwrap_or_else(|| panic!("quirk {number} is missing"));
        assert!(found.next().is_none(), "quirk {number} is there twice");
        assert!(
            tests.contains(test_of(row)),
            "quirk {number} has no test {}",
            test_of(row)
        );
        assert!(
            seen.insert(test_of(row)),
            "quirk {number} has no test of its own"
        );
    }
}

#[test]
fn every_case_has_its_test_and_every_test_of_a_case_its_row() {
    let (rows, tests) = (rows(), tests());
    let cases: BTreeSet<_> = rows
        .iter()
        .filter(|row| row.len() == 3 && row[0].starts_with('C'))
        .map(|row| (row[0].as_str(), test_of(row)))
        .collect();
    let text = include_str!("cases.rs");
    for (case, test) in &cases {
        assert!(tests.contains(*test), "{case} has no test {test}");
        assert!(
            text.contains(&format!("/// {case}\n#[test]\nfn {test}(")),
            "{case}: {test}"
        );
    }
    assert_eq!(cases.len(), text.matches("#[test]").count());
}

#[test]
fn every_code_is_listed_with_its_sentence() {
    let rows = rows();
    for code in FailureCode::ALL {
        let name = format!("`{code}`");
        let row = rows.iter().find(|row| row.len() == 3 && row[0] == name);
        let row = row.unwrap_or_else(|| panic!("{code} is missing"));
        assert_eq!(row[1], code.message());
    }
}
