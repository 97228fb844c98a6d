//! Which provider is chosen, and what is said about it.

use apron_cli::upstream::Upstream;

#[tokio::test]
async fn without_a_key_it_is_the_scripted_provider() {
    // An address without a key is not enough, and an empty key is none.
    for env in [
        &[][..],
        &[("OPENAI_API_KEY", "")],
        &[
            ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"),
            ("OPENAI_MODEL", "m"),
        ],
    ] {
        let upstream = choose(None, env).await;
        let provider = upstream.embedded().expect("a scripted provider");
        assert_eq!(provider.base_url(), upstream.base_url());
        let said = upstream.to_string();
        assert!(
            said.contains("scripted") && said.contains("OPENAI_API_KEY"),
            "{said}"
        );
        assert!(
            said.contains("--provider-url") && said.contains(upstream.base_url()),
            "{said}"
        );
    }
}

#[tokio::test]
async fn with_a_key_it_is_what_the_environment_says_and_openai_by_default() {
    let upstream = choose(None, &[("OPENAI_API_KEY", "k1")]).await;
    assert_eq!(upstream.base_url(), "https://api.openai.com/v1");
    assert!(upstream.embedded().is_none() && !upstream.model().is_empty());

    let env = [
        ("OPENAI_API_KEY", "k1"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"),
        ("OPENAI_MODEL", "m1"),
    ];
    let upstream = choose(None, &env).await;
    let chosen = (upstream.base_url(), upstream.model(), upstream.key());
    assert_eq!(chosen, ("http://127.0.0.1:1/v1", "m1", Some("k1")));
}

#[tokio::test]
async fn the_flag_wins_and_needs_no_key() {
    let env = [
        ("OPENAI_API_KEY", "k1"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"),
    ];
    for (env, key) in [(&env[..], Some("k1")), (&[][..], None)] {
        let upstream = choose(Some("http://127.0.0.1:2/v1"), env).await;
        assert_eq!(
            (upstream.base_url(), upstream.key()),
            ("http://127.0.0.1:2/v1", key)
        );
        assert!(upstream.embedded().is_none());
    }
}

#[tokio::test]
async fn the_key_is_never_shown() {
    for url in [None, Some("http://127.0.0.1:2/v1")] {
        let upstream = choose(url, &[("OPENAI_API_KEY", "canary")]).await;
        let shown = format!("{upstream} {upstream:?} {upstream:#?}");
        assert!(!shown.contains("canary"), "{shown}");
    }
}

async fn choose(url: Option<&str>, env: &[(&str, &str)]) -> Upstream {
    let env: Vec<_> = env
        .iter()
        .map(|(key, value)| (key.to_string(), value.to_string()))
        .collect();
    let find = move |name: &str| {
        env.iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.clone())
    };
    Upstream::choose(url, find).await.unwrap()
}
