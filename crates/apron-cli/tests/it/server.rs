//! The server's own routes.

use std::sync::Arc;

use apron_cli::scenarios;
use apron_cli::serve::router;
use apron_cli::upstream::Upstream;
use serde_json::Value;
use tokio::net::TcpListener;

use crate::http::{Response, request};

#[tokio::test]
async fn the_page_and_its_files_are_served_under_a_strict_policy() {
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/page.css", "text/css; charset=utf-8"),
        ("/page.js", "text/javascript; charset=utf-8"),
        ("/run.js", "text/javascript; charset=utf-8"),
        ("/thread.js", "text/javascript; charset=utf-8"),
        ("/view.js", "text/javascript; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
    ] {
        let response = get(path).await;
        assert_eq!(response.status, 200, "{path}");
        assert_eq!(response.header("content-type"), Some(kind));
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
        let policy = response.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert!(response.body.len() > 100, "{path} has content");
    }
}

#[tokio::test]
async fn the_page_has_nothing_inline_and_refers_only_to_files_that_exist() {
    let page = get("/").await.body;
    for inline in ["<style", " style=", "javascript:", " onclick=", " onload="] {
        assert!(!page.contains(inline), "{inline}");
    }
    let mut references = 0;
    for (at, _) in page.match_indices("<script") {
        assert!(
            page[at..].split('>').next().unwrap().contains("src="),
            "{}",
            &page[at..]
        );
    }
    for part in page.split(['"', ' ']).filter(|part| part.contains('.')) {
        if [".css", ".js", ".svg"]
            .iter()
            .any(|end| part.ends_with(end))
        {
            references += 1;
            assert_eq!(get(&format!("/{part}")).await.status, 200, "{part}");
        }
    }
    assert!(references >= 3, "style, script and icon");
}

#[tokio::test]
async fn data_reaches_the_page_only_as_text() {
    for path in ["/page.js", "/run.js", "/thread.js", "/view.js"] {
        let script = get(path).await.body;
        for sink in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
        ] {
            assert!(!script.contains(sink), "{path} uses {sink}");
        }
    }
}

#[tokio::test]
async fn scenarios_are_listed_with_exactly_name_prompt_and_description() {
    let response = get("/scenarios").await;
    assert_eq!(response.header("content-type"), Some("application/json"));
    let listed = response.json();
    let listed = listed.as_array().unwrap();
    assert_eq!(listed.len(), scenarios::all().len());
    for (entry, scenario) in listed.iter().zip(scenarios::all()) {
        let mut keys: Vec<_> = entry
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        keys.sort_unstable();
        assert_eq!(keys, ["description", "name", "prompt"]);
        assert!(entry.as_object().unwrap().values().all(Value::is_string));
        assert_eq!(
            (&entry["name"], &entry["prompt"]),
            (&scenario.name.into(), &scenario.prompt.into())
        );
    }
    let names: Vec<_> = scenarios::all()
        .iter()
        .map(|scenario| scenario.name)
        .collect();
    for name in ["text", "reasoning", "tools", "error", "cut", "slow"] {
        assert!(names.contains(&name), "{name} is missing from {names:?}");
    }
}

#[tokio::test]
async fn the_server_says_that_it_is_well() {
    let response = get("/healthz").await;
    assert_eq!((response.status, response.body.as_str()), (200, "ok"));
}

async fn get(path: &str) -> Response {
    let upstream = Upstream::choose(Some("http://127.0.0.1:1/v1"), |_| None)
        .await
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap().to_string();
    let server = tokio::spawn(async { axum::serve(listener, router(Arc::new(upstream))).await });
    let response = request(&at, "GET", path, "").await;
    server.abort();
    response
}
