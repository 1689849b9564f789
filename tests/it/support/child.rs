//! Processes of their own, for what one process cannot try on itself: opening twice, dying, loading another
//! library.
//!
//! A child is this test binary again, told to run one ignored test. It speaks in lines that begin with
//! `child: `.
#![expect(clippy::expect_used, reason = "a test may stop at the first surprise")]
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{ChildStdout, Command, Stdio};

const MARK: &str = "child: ";

/// A child that runs. Killed when dropped.
pub(crate) struct Child {
    process: std::process::Child,
    output: BufReader<ChildStdout>,
}

impl Child {
    /// Starts the ignored test of this name, with variables that only it reads.
    pub(crate) fn start<V: AsRef<OsStr>>(test: &str, variables: &[(&str, V)]) -> Self {
        let binary = std::env::current_exe().expect("this binary");
        let mut command = Command::new(binary);
        command.args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
        Self::run(command, variables)
    }

    /// The same under a shell command that ends by running `"$@"`.
    pub(crate) fn start_under<V: AsRef<OsStr>>(shell: &str, test: &str, variables: &[(&str, V)]) -> Self {
        let binary = std::env::current_exe().expect("this binary");
        let mut command = Command::new("sh");
        command.arg("-c").arg(shell).arg("sh").arg(binary);
        command.args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
        Self::run(command, variables)
    }

    fn run<V: AsRef<OsStr>>(mut command: Command, variables: &[(&str, V)]) -> Self {
        command.envs(variables.iter().map(|(name, value)| (name, value.as_ref())));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut process = command.spawn().expect("a child starts");
        let output = BufReader::new(process.stdout.take().expect("its output"));
        Self { process, output }
    }

    /// What it says next; `None` when it is gone.
    pub(crate) fn says(&mut self) -> Option<String> {
        let mut line = String::new();
        while self.output.read_line(&mut line).expect("a line") > 0 {
            if let Some((_, said)) = line.split_once(MARK) {
                return Some(said.trim_end().to_owned());
            }
            line.clear();
        }
        None
    }

    /// Its process number.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Ends it as the loss of power would: without a chance to tidy up.
    pub(crate) fn kill(&mut self) {
        self.process.kill().expect("it can be killed");
        self.process.wait().expect("it is gone");
    }

    /// Lets it go on to its end, and tells whether that was a good one.
    pub(crate) fn ends(mut self) -> bool {
        drop(self.process.stdin.take());
        while self.says().is_some() {}
        self.process.wait().expect("it is gone").success()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.process.kill().unwrap_or_default();
        drop(self.process.wait());
    }
}

/// Says a line to the parent.
#[expect(clippy::print_stdout, reason = "that is how a child speaks")]
pub(crate) fn say(line: &str) {
    println!("{MARK}{line}");
}

/// Waits until the parent lets us go on.
pub(crate) fn wait() {
    drop(std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
}
