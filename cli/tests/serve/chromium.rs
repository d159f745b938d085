//! Chromium without a window, driven by the DevTools protocol: <https://chromedevtools.github.io/devtools-protocol>.
//!
//! Messages are JSON, and a zero byte ends each of them. Calls go into one pipe. A thread reads the other pipe: answers
//! go to the call that waits for them, and what the page complains of goes into a list.
//!
//! The browser wants its pipes as the files 3 and 4. A shell puts them there, so these tests run where there is one.

use std::cell::{Cell, RefCell};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// Far more than the browser takes, even where the machine has much else to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

/// How long the browser may take to close before it is killed.
const CLOSING: Duration = Duration::from_secs(10);

const NAMES: [&str; 5] =
    ["google-chrome-stable", "chromium", "chromium-browser", "google-chrome", "microsoft-edge-stable"];

/// The same page on every machine, and no request that no test makes.
const ARGUMENTS: [&str; 16] = [
    "--headless",
    // As root it refuses to run in a sandbox; what it opens is ours.
    "--no-sandbox",
    "--remote-debugging-pipe",
    "--window-size=1400,900",
    "--force-color-profile=srgb",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    // Shared memory is small in containers.
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-renderer-backgrounding",
    "--disable-sync",
    "--no-first-run",
    "--password-store=basic",
];

/// The browser that `CHROME` names, or one of the usual names on the path.
pub(crate) fn program() -> Option<PathBuf> {
    let named = std::env::var_os("CHROME").map(PathBuf::from).filter(|named| named.exists());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = || NAMES.iter().flat_map(|name| std::env::split_paths(&path).map(move |folder| folder.join(name)));
    named.or_else(|| on_path().find(|file| file.is_file()))
}

/// A browser with one tab. It ends with this.
pub(crate) struct Tab {
    browser: Child,
    calls: RefCell<ChildStdin>,
    number: Cell<u64>,
    answers: Receiver<Value>,
    /// Names the tab in each call, once there is one.
    session: Option<String>,
    /// What the page or the browser complained of.
    pub(crate) errors: Arc<Mutex<Vec<String>>>,
    profile: tempfile::TempDir,
}

impl Tab {
    pub(crate) fn open(program: PathBuf) -> Tab {
        let profile = tempfile::tempdir().expect("a folder");
        let mut browser = Command::new("sh")
            .args(["-c", r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#, "sh"])
            .arg(program)
            .args(ARGUMENTS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let calls = RefCell::new(browser.stdin.take().expect("a pipe"));
        let output = browser.stdout.take().expect("a pipe");
        let (sender, answers) = channel();
        let errors = Arc::new(Mutex::new(Vec::new()));
        let heard = errors.clone();
        std::thread::spawn(move || listen(BufReader::new(output), &sender, &heard));
        let mut tab = Tab { browser, calls, number: Cell::new(0), answers, session: None, errors, profile };
        let target = tab.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = json!({"targetId": target["targetId"], "flatten": true});
        let session = tab.call("Target.attachToTarget", attached)["sessionId"].as_str().map(str::to_owned);
        tab.session = Some(session.expect("a session"));
        tab.call("Log.enable", json!({}));
        tab.call("Runtime.enable", json!({}));
        tab
    }

    /// What the browser answers, or why it refuses.
    fn try_call(&self, method: &str, params: Value) -> Result<Value, String> {
        let number = self.number.get() + 1;
        self.number.set(number);
        let mut call = json!({"id": number, "method": method, "params": params});
        if let Some(session) = &self.session {
            call["sessionId"] = json!(session);
        }
        let message = format!("{call}\0");
        self.calls.borrow_mut().write_all(message.as_bytes()).map_err(|error| format!("{method}: {error}"))?;
        loop {
            let mut answer = self.answers.recv_timeout(PATIENCE).map_err(|error| format!("{method}: {error}"))?;
            // What another call has given up waiting for is of no use.
            if answer["id"] == number {
                let error = &answer["error"];
                return if error.is_null() { Ok(answer["result"].take()) } else { Err(format!("{method}: {error}")) };
            }
        }
    }

    pub(crate) fn call(&self, method: &str, params: Value) -> Value {
        self.try_call(method, params).unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn navigate(&self, url: &str) {
        let gone = self.call("Page.navigate", json!({"url": url}));
        assert_eq!(gone["errorText"], Value::Null, "{url}");
    }

    /// What the browser says that the expression is in the page. It refuses while the page goes to another one.
    pub(crate) fn evaluate(&self, expression: &str) -> Result<Value, String> {
        let params = json!({"expression": expression, "awaitPromise": true});
        Ok(self.try_call("Runtime.evaluate", params)?["result"].take())
    }

    /// Presses a key and lets it go. A key is a character or one of those that are named below.
    pub(crate) fn press(&self, key: &str, modifiers: u32) {
        let (number, text) = match key {
            "Tab" => (9, None),
            "Enter" => (13, Some("\r")),
            "End" => (35, None),
            "ArrowDown" => (40, None),
            "Delete" => (46, None),
            character => {
                assert_eq!(character.chars().count(), 1, "a key without a number: {key}");
                (0, Some(character))
            }
        };
        let mut event = json!({"key": key, "modifiers": modifiers, "type": "rawKeyDown"});
        if number != 0 {
            event["code"] = key.into();
            event["windowsVirtualKeyCode"] = number.into();
        }
        if let Some(text) = text {
            event["type"] = "keyDown".into();
            event["text"] = text.into();
        }
        self.call("Input.dispatchKeyEvent", event.clone());
        event["type"] = "keyUp".into();
        self.call("Input.dispatchKeyEvent", event);
    }

    pub(crate) fn type_text(&self, text: &str) {
        for character in text.chars() {
            self.press(character.encode_utf8(&mut [0; 4]), 0);
        }
    }
}

impl Drop for Tab {
    /// Closes the browser, so that nothing of it writes into its folder when that is removed.
    fn drop(&mut self) {
        self.session = None;
        let closed = self.try_call("Browser.close", json!({})).is_ok();
        while closed && self.answers.recv_timeout(CLOSING).is_ok() {}
        let _ = self.browser.kill();
        let _ = self.browser.wait();
        let _ = std::fs::remove_dir_all(self.profile.path());
    }
}

/// Until the browser ends.
fn listen(messages: impl BufRead, answers: &Sender<Value>, errors: &Mutex<Vec<String>>) {
    for message in messages.split(0) {
        let Ok(message) = message else { return };
        let message: Value = serde_json::from_slice(&message).expect("JSON");
        if message["id"].is_u64() {
            if answers.send(message).is_err() {
                return;
            }
        } else if let Some(error) = complaint(&message) {
            errors.lock().expect("no panic").push(error);
        }
    }
}

/// What an event tells of that should not be.
fn complaint(event: &Value) -> Option<String> {
    let params = &event["params"];
    match event["method"].as_str()? {
        "Log.entryAdded" if params["entry"]["level"] == "error" => {
            let entry = &params["entry"];
            Some(format!("{}: {}", entry["url"].as_str().unwrap_or_default(), entry["text"].as_str()?))
        }
        "Runtime.exceptionThrown" => Some(params["exceptionDetails"].to_string()),
        "Runtime.consoleAPICalled" if params["type"] == "error" => Some(params["args"].to_string()),
        _ => None,
    }
}
