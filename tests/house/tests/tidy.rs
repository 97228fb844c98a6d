//! What a source file may look like.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers included"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// Lines of a file, tests included, beyond which it has a seam that wants to be cut.
const MOST_LINES: usize = 800;

#[test]
fn no_file_is_too_long_to_hold_in_mind() {
    for path in sources("rs") {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines", path.display());
    }
}

#[test]
fn a_crate_root_is_documentation_and_a_list() {
    for path in sources("rs").filter(|path| path.ends_with("src/lib.rs")) {
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with("//! "),
            "{} begins with its documentation",
            path.display()
        );
        let lines = text.lines().count();
        assert!(lines <= 120, "{} has {lines} lines", path.display());
    }
}

#[test]
fn every_crate_has_a_readme_and_inherits_the_lint_table() {
    for manifest in sources("toml").filter(|path| path.ends_with("Cargo.toml")) {
        let text = fs::read_to_string(&manifest).unwrap();
        if !text.contains("[package]") {
            continue;
        }
        assert!(
            text.contains("[lints]\nworkspace = true"),
            "{}",
            manifest.display()
        );
        if manifest
            .components()
            .any(|part| part.as_os_str() == "crates")
        {
            let readme = manifest.with_file_name("README.md");
            assert!(readme.exists(), "{} is missing", readme.display());
        }
    }
}

#[test]
fn no_lint_is_waved_through_without_a_reason() {
    for path in sources("rs") {
        let text = fs::read_to_string(&path).unwrap();
        // Spelled in two parts, so that this file does not find itself.
        let allow = concat!("#[", "allow(");
        assert!(
            !text.contains(allow),
            "{}: use #[expect(…, reason = …)]",
            path.display()
        );
        let ignored = concat!("#[", "ignore");
        assert!(
            !text.contains(ignored),
            "{}: skip by name, and count it",
            path.display()
        );
    }
}

/// Files of the project with the given extension.
fn sources(extension: &'static str) -> impl Iterator<Item = PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap();
    let mut pending = vec![
        root.join("crates"),
        root.join("tests"),
        root.join("examples"),
    ];
    let mut found = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "target" && name != "node_modules" {
                    pending.push(path);
                }
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty());
    found.into_iter()
}
