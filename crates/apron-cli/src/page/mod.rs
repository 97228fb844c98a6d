//! The chat page: plain files, embedded in the binary.
//!
//! Nothing on it is inline, so that its content security policy needs no exception.

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::{MethodRouter, get};

/// `GET /` and the files it refers to.
pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    FILES.iter().fold(Router::new(), |router, file| {
        router.route(file.path, file.route())
    })
}

/// One embedded file.
struct File {
    path: &'static str,
    content_type: &'static str,
    content: &'static str,
}

impl File {
    fn route<S: Clone + Send + Sync + 'static>(&'static self) -> MethodRouter<S> {
        let headers = [
            (header::CONTENT_TYPE, self.content_type),
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            // The page belongs to the binary, and an old one may not fit a new server.
            (header::CACHE_CONTROL, "no-cache"),
        ];
        get(move || async move { (headers, self.content).into_response() })
    }
}

static FILES: [File; 7] = [
    File {
        path: "/",
        content_type: "text/html; charset=utf-8",
        content: include_str!("index.html"),
    },
    File {
        path: "/page.css",
        content_type: "text/css; charset=utf-8",
        content: include_str!("page.css"),
    },
    File {
        path: "/page.js",
        content_type: "text/javascript; charset=utf-8",
        content: include_str!("page.js"),
    },
    File {
        path: "/run.js",
        content_type: "text/javascript; charset=utf-8",
        content: include_str!("run.js"),
    },
    File {
        path: "/thread.js",
        content_type: "text/javascript; charset=utf-8",
        content: include_str!("thread.js"),
    },
    File {
        path: "/view.js",
        content_type: "text/javascript; charset=utf-8",
        content: include_str!("view.js"),
    },
    File {
        path: "/icon.svg",
        content_type: "image/svg+xml",
        content: include_str!("icon.svg"),
    },
];

const POLICY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
