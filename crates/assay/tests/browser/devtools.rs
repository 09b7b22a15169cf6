//! A headless browser that is driven by its DevTools protocol over a pipe: JSON messages that end in a zero byte.

use crate::common::Place;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

/// Longer than anything that is waited for.
const PATIENCE: Duration = Duration::from_secs(120);

/// The shell makes the two pipes what the browser reads and writes.
const START: &str = "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";

/// A browser with one page.
pub(super) struct Browser {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    attached: Option<String>,
    sent: u64,
    /// What was told without being asked.
    events: Vec<Value>,
}

impl Browser {
    pub(super) fn start(place: &Place) -> Browser {
        let mut child = Command::new("sh")
            .args(["-c", START, "sh", super::BROWSER, "--headless", "--no-sandbox"])
            .args(["--disable-gpu", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", place.path("driven").display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (send, messages) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            let parsed = output.split(0).map_while(Result::ok);
            parsed
                .map_while(|text| serde_json::from_slice(&text).ok())
                .all(|m| send.send(m).is_ok())
        });
        let input = child.stdin.take();
        let mut browser =
            Browser { child, input, messages, attached: None, sent: 0, events: Vec::new() };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", attach);
        browser.attached = attached["sessionId"].as_str().map(String::from);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// What the browser answers to a call.
    pub(super) fn call(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": params });
        if let Some(attached) = self.attached.as_ref().filter(|_| !method.starts_with("Browser.")) {
            message["sessionId"] = json!(attached);
        }
        self.input.as_mut().unwrap().write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.messages.recv_timeout(PATIENCE).unwrap();
            if answer["id"] == self.sent {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Waits for an event called `method`, and gives what it says.
    pub(super) fn wait(&mut self, method: &str) -> Value {
        loop {
            let told = self.events.iter().position(|event| event["method"] == method);
            match told {
                Some(at) => return self.events.remove(at)["params"].clone(),
                None => self.events.push(self.messages.recv_timeout(PATIENCE).unwrap()),
            }
        }
    }

    /// Opens `path` at `fragment`, from nothing: another fragment alone would load no page.
    pub(super) fn open(&mut self, path: &Path, fragment: &str) {
        for address in ["about:blank".into(), format!("file://{}{fragment}", path.display())] {
            self.call("Page.navigate", json!({ "url": address }));
            self.wait("Page.loadEventFired");
        }
    }

    /// What an expression of the page gives.
    pub(super) fn eval(&mut self, expression: &str) -> Value {
        let asked =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression of the page is true: what a key changes may follow it.
    pub(super) fn until(&mut self, expression: &str) {
        let most = PATIENCE.as_millis() / 2;
        let waited = self.eval(&format!(
            "new Promise(done => {{ const end = Date.now() + {most}; const look = () => {expression} ? done(true) : \
             Date.now() > end ? done(false) : setTimeout(look, 10); look(); }})"
        ));
        assert_eq!(waited, true, "{expression}");
    }

    /// What an expression of the page gives, as text.
    pub(super) fn text(&mut self, expression: &str) -> String {
        self.eval(expression).as_str().unwrap_or_default().into()
    }

    /// Presses and releases a key, as `Tab`.
    pub(super) fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            "End" => (35, ""),
            "Home" => (36, ""),
            "ArrowUp" => (38, ""),
            "ArrowRight" => (39, ""),
            "ArrowDown" => (40, ""),
            _ => panic!("no code for {key}"),
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event =
                json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// As on a screen that is `dark` or light.
    pub(super) fn scheme(&mut self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let feature = json!([{ "name": "prefers-color-scheme", "value": value }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": feature }));
    }

    /// Whether the page runs its script, once it is opened again.
    pub(super) fn scripted(&mut self, is_scripted: bool) {
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": !is_scripted }));
    }

    /// In a window of this width, CSS pixels.
    pub(super) fn width(&mut self, width: u32) {
        let size =
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// What was said to the console, and every address that was asked for besides files and what the page made.
    pub(super) fn complaints(&mut self) -> Vec<String> {
        self.eval("0");
        let said = ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"];
        let is_said = |event: &&Value| said.iter().any(|method| event["method"] == *method);
        let asked = |event: &&Value| {
            let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
            event["method"] == "Network.requestWillBeSent"
                && !["file:", "about:", "blob:"].iter().any(|own| url.starts_with(own))
        };
        self.events.iter().filter(|e| is_said(e) || asked(e)).map(Value::to_string).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends when nothing can be said to it any more.
        self.input = None;
        let _ = self.child.wait();
    }
}
