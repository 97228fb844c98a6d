//! Which crate may know which. The table is the one of `docs/ARCHITECTURE.md`.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers included"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// The rooms, and the rooms each may use.
const ROOMS: &[(&str, &[&str])] = &[
    ("apron-protocol", &[]),
    ("apron-sse", &[]),
    ("apron-emit", &["apron-protocol"]),
    (
        "apron-openai",
        &["apron-emit", "apron-protocol", "apron-sse"],
    ),
    ("apron-http", &["apron-protocol", "apron-sse"]),
    ("apron-axum", &["apron-http", "apron-protocol"]),
    (
        "apron",
        &[
            "apron-axum",
            "apron-emit",
            "apron-http",
            "apron-openai",
            "apron-protocol",
            "apron-sse",
        ],
    ),
    ("apron-cli", &["apron"]),
];

/// Rooms below delivery: no executor and no clock.
const WITHOUT_TOKIO: &[&str] = &["apron-protocol", "apron-sse", "apron-emit"];

/// Rooms that name no web framework and no HTTP types.
const WITHOUT_FRAMEWORK: &[(&str, &[&str])] = &[
    (
        "apron-protocol",
        &["axum", "actix-web", "http", "hyper", "reqwest"],
    ),
    (
        "apron-sse",
        &["axum", "actix-web", "http", "hyper", "reqwest"],
    ),
    (
        "apron-emit",
        &["axum", "actix-web", "http", "hyper", "reqwest"],
    ),
    ("apron-openai", &["axum", "actix-web"]),
    (
        "apron-http",
        &["axum", "actix-web", "http", "hyper", "reqwest"],
    ),
    ("apron-axum", &["actix-web", "reqwest", "async-openai"]),
];

#[test]
fn a_crate_uses_only_the_rooms_it_may() {
    let allowed: BTreeMap<_, _> = ROOMS.iter().copied().collect();
    let mut seen = BTreeSet::new();
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        let Some(allowed) = allowed.get(name) else {
            assert!(
                !package["manifest_path"]
                    .as_str()
                    .unwrap()
                    .contains("/crates/"),
                "{name} is no room of the table: add it here and to docs/ARCHITECTURE.md"
            );
            continue;
        };
        seen.insert(name.to_owned());
        for (kind, used) in ours(&package) {
            // Examples and tests that need more rooms are packages of their own.
            assert!(
                allowed.contains(&used.as_str()),
                "{name} may not use {used} ({kind})"
            );
        }
    }
    let rooms: BTreeSet<_> = ROOMS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(seen, rooms, "every room of the table exists");
}

#[test]
fn the_published_table_is_this_one() {
    let page = include_str!("../../../docs/ARCHITECTURE.md");
    for (room, uses) in ROOMS {
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| `{room}` |")))
            .unwrap_or_else(|| panic!("docs/ARCHITECTURE.md has no row for {room}"));
        let cell = row.split('|').nth(3).unwrap();
        let named: BTreeSet<_> = cell.split('`').skip(1).step_by(2).collect();
        let expected: BTreeSet<_> = uses.iter().copied().collect();
        assert_eq!(named, expected, "the row of {room}");
    }
}

#[test]
fn nothing_below_delivery_needs_tokio() {
    for room in WITHOUT_TOKIO {
        let tree = tree(room);
        assert!(!tree.contains("tokio"), "{room} pulls in tokio:\n{tree:?}");
    }
}

#[test]
fn no_room_names_a_framework_it_must_not_know() {
    for (room, forbidden) in WITHOUT_FRAMEWORK {
        let tree = tree(room);
        for name in *forbidden {
            assert!(!tree.contains(*name), "{room} pulls in {name}");
        }
    }
}

#[test]
fn no_feature_of_a_dependency_changes_what_others_do() {
    for package in packages() {
        for dependency in package["dependencies"].as_array().unwrap() {
            let name = dependency["name"].as_str().unwrap();
            for feature in dependency["features"].as_array().unwrap() {
                let feature = feature.as_str().unwrap();
                let banned = matches!(
                    (name, feature),
                    (
                        "serde_json",
                        "preserve_order" | "arbitrary_precision" | "unbounded_depth"
                    ) | ("async-openai", "byot")
                );
                assert!(!banned, "{} enables {name}/{feature}", package["name"]);
            }
        }
    }
}

fn packages() -> Vec<Value> {
    let output = cargo(&[
        "metadata",
        "--format-version",
        "1",
        "--no-deps",
        "--offline",
    ]);
    let metadata: Value = serde_json::from_str(&output).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Our crates that a package depends on, by kind of dependency; a crate may use itself in tests.
fn ours(package: &Value) -> Vec<(String, String)> {
    let own = package["name"].as_str().unwrap();
    let dependencies = package["dependencies"].as_array().unwrap();
    dependencies
        .iter()
        .filter(|dependency| dependency["path"].is_string())
        .map(|dependency| {
            let kind = dependency["kind"].as_str().unwrap_or("normal");
            (
                kind.to_owned(),
                dependency["name"].as_str().unwrap().to_owned(),
            )
        })
        .filter(|(_, used)| used != own)
        .collect()
}

/// Names of all crates that `package` needs when it is built with default features.
fn tree(package: &str) -> BTreeSet<String> {
    let tree = cargo(&[
        "tree",
        "-e",
        "normal",
        "-p",
        package,
        "--prefix",
        "none",
        "--offline",
        "-f",
        "{p}",
    ]);
    tree.lines()
        .filter_map(|line| line.split(' ').next())
        .map(str::to_owned)
        .collect()
}

fn cargo(arguments: &[&str]) -> String {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}
