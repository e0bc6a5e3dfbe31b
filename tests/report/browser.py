# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven over the pipe of its DevTools protocol."""
import base64
import json
import os
import select
import subprocess
import time


# Texts of the figures of a page without title, unit, axis or name.
BARE_FIGURES = """[...document.querySelectorAll('figure')].filter(f => !f.querySelector('figcaption').textContent
    || (f.querySelector('svg') && (!f.querySelector('.unit') || !f.querySelector('svg .axis, svg text')
        || !f.querySelector('svg').getAttribute('aria-label')))).map(f => f.textContent.slice(0, 80))"""


class Browser:
    """One page of a Chromium. `errors` has what its console and its programs complained about."""

    def __init__(self, program, profile):
        here, there = os.pipe(), os.pipe()  # to and from the browser: its descriptors 3 and 4

        def connect():
            os.dup2(here[0], 3 + 100)
            os.dup2(there[1], 4 + 100)
            os.dup2(3 + 100, 3)
            os.dup2(4 + 100, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--disable-background-networking", f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=connect, close_fds=False)
        os.close(here[0])
        os.close(there[1])
        self.to, self.fro = here[1], there[0]
        self.buffer = b""
        self.number = 0
        self.events = []
        self.errors = []
        self.requests = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    session = None

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(timeout=20)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()

    def call(self, method, **parameters):
        """The result of a command. RuntimeError: refused, or no answer in 180 s."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self._write(message)
        number = self.number
        while True:
            answer = self._message(180)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._event(answer)

    def _write(self, message):
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data[:30000]):]

    def _message(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.fro], [], [], max(0, end - time.monotonic()))
            part = os.read(self.fro, 1 << 20) if ready else b""
            if not part:
                raise RuntimeError("the browser does not answer")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def _event(self, event):
        method, p = event.get("method"), event.get("params", {})
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            details = p["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.errors.append(str(p["args"]))
        elif method == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.errors.append(p["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(p["request"]["url"])

    def open(self, path, width=1440, height=900, theme="light"):
        """Loads a file and waits until it is drawn. The seconds that took."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        start = time.monotonic()
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while "Page.loadEventFired" not in self.events:
            self._event(self._message(60))
        self.evaluate("document.body.offsetHeight")
        return time.monotonic() - start

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode={"Tab": 9}.get(key, 0))

    def screenshot(self, path, whole=False, clip=None):
        """Writes a picture (PNG) of the window, of the whole page or of a part of it."""
        options = {"captureBeyondViewport": bool(whole or clip)}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"]}
        if clip:
            options["clip"] = {**clip, "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", **options)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))
