# SPDX-License-Identifier: Apache-2.0
# Chromium without a window, driven over the pipes of its DevTools protocol.
import base64
import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time

PATIENCE_SECONDS = 120
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def find_program():
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


# A pipe whose numbers are not 3 or 4.
def high_pipe():
    ends = os.pipe()
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 5) for end in ends]
    for end in ends:
        os.close(end)
    return high


class Browser:
    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="weft-browser-")
        read_commands, self.commands = high_pipe()
        self.answers, write_answers = high_pipe()
        # It reads commands from descriptor 3 and writes answers to 4.
        script = f'exec "$@" 3<&{read_commands} 4>&{write_answers}'
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", program, "--headless=new", "--remote-debugging-pipe",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--disable-sync",
             "--disable-component-update", "--no-default-browser-check", "--hide-scrollbars",
             "--force-color-profile=srgb", f"--user-data-dir={self.profile}", "about:blank"],
            pass_fds=[read_commands, write_answers], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(read_commands)
        os.close(write_answers)
        self.changed = threading.Condition()
        self.results, self.events, self.number, self.has_ended = {}, [], 0, False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        rest = b""
        while piece := os.read(self.answers, 1 << 16):
            *messages, rest = (rest + piece).split(b"\0")
            with self.changed:
                for message in map(json.loads, messages):
                    if "id" in message:
                        self.results[message["id"]] = message
                    else:
                        self.events.append(message)
                self.changed.notify_all()
        with self.changed:
            self.has_ended = True
            self.changed.notify_all()

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        with self.changed:
            self.changed.wait_for(lambda: self.number in self.results or self.has_ended,
                                  PATIENCE_SECONDS)
            answer = self.results.pop(self.number, None)
        if answer is None or "error" in answer:
            raise AssertionError(f"{method}: {answer and answer['error']}")
        return answer["result"]

    def open(self):
        return Page(self)

    def close(self):
        with contextlib.suppress(AssertionError, OSError):
            os.write(self.commands, b'{"id":0,"method":"Browser.close"}\0')
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(20)
        # Whatever is left of it; it is alone in its session.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.commands)
        self.reader.join(20)
        os.close(self.answers)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Page:
    def __init__(self, browser):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target,
                                    flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    # Until the page is read, not until its scripts have run.
    def go(self, url):
        self.call("Page.navigate", url=url)
        self.wait_for(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    # Until the expression is true; answers its value.
    def wait_for(self, expression):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (value := self.evaluate(expression)):
            if time.monotonic() > deadline:
                raise AssertionError(f"never true: {expression}")
            time.sleep(0.2)
        return value

    def show_as(self, width, height, scheme, is_phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=is_phone)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def _events(self, method):
        with self.browser.changed:
            return [event["params"] for event in self.browser.events
                    if event["method"] == method and event.get("sessionId") == self.session]

    def requests(self):
        return [event["request"]["url"] for event in self._events("Network.requestWillBeSent")]

    # What went wrong, by the browser's word: exceptions, errors of the console, blocked contents.
    def complaints(self):
        said = [event["exceptionDetails"] for event in self._events("Runtime.exceptionThrown")]
        said += [event["entry"] for event in self._events("Log.entryAdded")
                 if event["entry"]["level"] in ("warning", "error")]
        return said + [event["args"] for event in self._events("Runtime.consoleAPICalled")
                       if event["type"] in ("error", "warning", "assert")]

    def screenshot(self, path, whole=False):
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))
