//! Which suites can run here, and what is said about those that cannot.
//!
//! What a suite reports goes to standard output past the capture of the test harness, so that the
//! figures of a green run can be read, and a skip is never silent.

use std::env;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A suite, by the name under which it reports and skips.
#[derive(Clone, Copy, Debug)]
pub struct Suite(&'static str);

impl Suite {
    /// The suite of this name.
    #[must_use]
    pub const fn named(name: &'static str) -> Self {
        Self(name)
    }

    /// Prints one line of the suite's report.
    pub fn say(self, line: impl Display) {
        print(format_args!("{}: {line}", self.0));
    }

    /// Says that the suite did not run. `.ci/run` counts these lines, and allows none in CI.
    pub fn skip(self, reason: impl Display) {
        print(format_args!("skipped: {}: {reason}", self.0));
    }

    /// The folder of recordings and of the protocol's schema: `APRON_CORPUS`. Skips without it.
    #[must_use]
    pub fn corpus(self) -> Option<PathBuf> {
        self.folder("APRON_CORPUS")
    }

    /// The folder of the judges, installed: `APRON_JUDGES`. Skips without it.
    #[must_use]
    pub fn judges(self) -> Option<PathBuf> {
        self.folder("APRON_JUDGES")
    }

    /// The `apron` command: `APRON_BIN`, or the one that was built beside this test. Skips when
    /// there is none, as there is not when this package is tested alone.
    #[must_use]
    pub fn command(self) -> Option<PathBuf> {
        if let Some(path) = env::var_os("APRON_BIN") {
            let path = from_root(Path::new(&path));
            assert!(
                path.is_file(),
                "APRON_BIN is {}, which is no file",
                path.display()
            );
            return Some(path);
        }
        let test = env::current_exe().ok()?;
        let built = test
            .parent()?
            .parent()?
            .join("apron")
            .with_extension(env::consts::EXE_EXTENSION);
        if !built.is_file() {
            self.skip("the apron command is not built");
            return None;
        }
        Some(built)
    }

    fn folder(self, variable: &str) -> Option<PathBuf> {
        let Some(path) = env::var_os(variable) else {
            self.skip(format_args!("{variable} is not set"));
            return None;
        };
        // Set but wrong is a mistake, and a mistake is no reason to skip.
        let path = from_root(Path::new(&path));
        assert!(
            path.is_dir(),
            "{variable} is {}, which is no folder",
            path.display()
        );
        Some(path)
    }
}

/// How many cases a property tries: `APRON_PROP_CASES`, or `default`.
#[must_use]
pub fn cases(default: u64) -> u64 {
    number("APRON_PROP_CASES").unwrap_or(default)
}

/// The one case to repeat: `APRON_PROP_SEED`.
#[must_use]
pub fn seed() -> Option<u64> {
    number("APRON_PROP_SEED")
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    let number = text.replace('_', "").parse();
    Some(number.unwrap_or_else(|_| panic!("{variable} is {text:?}, which is no number")))
}

/// A relative path counts from the root of the workspace, wherever the test runs.
fn from_root(path: &Path) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

fn print(line: impl Display) {
    // A closed standard output is no reason to fail.
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}
