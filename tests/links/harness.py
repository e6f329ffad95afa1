# SPDX-License-Identifier: Apache-2.0
# The reference service as a process, the databases it speaks to, and clients that know what they were promised.
import contextlib
import glob
import http.client
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

PATIENCE_SECONDS = 60
SECRET = "p@ss:w/rd%"
ENCODED_SECRET = "p%40ss%3Aw%2Frd%25"


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


# Waits until `holds` is true.
def until(holds, what, seconds=PATIENCE_SECONDS):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"this did not happen in {seconds} s: {what}")
        time.sleep(0.01)


class Answer:
    def __init__(self, status, body, headers):
        self.status, self.body, self.headers = status, body, headers

    def json(self):
        return json.loads(self.body)

    def error(self):
        return self.json()["error"]["code"]


# One request on a connection of its own.
def ask(port, method, path, body=None, headers=None, seconds=PATIENCE_SECONDS):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    with contextlib.closing(connection):
        return ask_on(connection, method, path, body, headers)


def ask_on(connection, method, path, body=None, headers=None):
    headers = dict(headers or {})
    if isinstance(body, dict):
        body = json.dumps(body).encode()
        headers.setdefault("Content-Type", "application/json")
    connection.request(method, path, body=body, headers=headers)
    response = connection.getresponse()
    return Answer(response.status, response.read(), response.headers)


class Service:
    def __init__(self, program, database, *options, environment=None, http_port=0,
                 admin_port=0):
        self.process = subprocess.Popen(
            [program, "--http", f"127.0.0.1:{http_port}", "--grpc", "127.0.0.1:0",
             "--admin", f"127.0.0.1:{admin_port}", "--database", database, *options],
            stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})
        self.lines = []
        self.ports = {}
        self.told = threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        if not self.told.wait(PATIENCE_SECONDS) or not self.ports:
            self.kill()
            raise AssertionError("it does not serve:\n" + self.log())
        self.http, self.grpc, self.admin = (self.ports[name] for name in ("HTTP", "gRPC", "admin"))

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line)
            if b"serving: " in line and not self.ports:
                found = re.findall(r"(HTTP|gRPC|admin) on 127\.0\.0\.1:(\d+)", line.decode())
                self.ports = {name: int(port) for name, port in found}
                self.told.set()
        self.told.set()

    def ask(self, method, path, body=None, headers=None, port=None):
        return ask(port or self.http, method, path, body, headers)

    def end(self, sent=signal.SIGTERM):
        self.process.send_signal(sent)
        code = self.process.wait(PATIENCE_SECONDS)
        self.reader.join(PATIENCE_SECONDS)
        self.process.stderr.close()
        return code

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join(PATIENCE_SECONDS)
        self.process.stderr.close()

    def log(self):
        return b"".join(self.lines).decode("utf-8", errors="backslashreplace")


# tests/links/grpc_client.cc: a call for each line.
class GrpcClient:
    def __init__(self, program, port):
        self.process = subprocess.Popen([program, f"127.0.0.1:{port}"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)

    # The name of the status, and the messages; or the text, where it is not OK.
    def call(self, method, message=None, deadline_ms=PATIENCE_SECONDS * 1000, metadata=None):
        self.process.stdin.write(json.dumps({"method": method, "message": json.dumps(message or {}),
                                             "deadline_ms": deadline_ms,
                                             "metadata": metadata or {}}) + "\n")
        said = json.loads(self.process.stdout.readline())
        return said["status"], said["messages"] if said["status"] == "OK" else said["text"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE_SECONDS)
        self.process.stdout.close()


def find_program(name):
    places = os.environ["PATH"].split(":") + ["/usr/sbin", "/sbin"] + glob.glob("/usr/lib/postgresql/*/bin")
    return shutil.which(name, path=":".join(places))


# Words that make a command run as another user, where we may and must.
def words_as(user, words):
    if os.geteuid() != 0 or user == pwd.getpwuid(os.geteuid()).pw_name:
        return words
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", *words]


# A database server in a directory of its own.
class Database:
    def __init__(self, user):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weft-links-"))
        if os.geteuid() == 0:
            shutil.chown(self.folder, user)
        self.user = user
        self.port = free_port()
        self.process = None
        self.output = open(self.folder / "output", "ab")

    def command(self, words, **arguments):
        subprocess.run(words_as(self.user, words), check=True, stdout=self.output, stderr=self.output,
                       timeout=PATIENCE_SECONDS, **arguments)

    def start(self):
        self.process = subprocess.Popen(words_as(self.user, self.words()), stdout=self.output,
                                        stderr=self.output, start_new_session=True)
        until(self.answers, "the database answers")

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError((self.folder / "output").read_text(errors="replace"))
        return self.takes_connections()

    def takes_connections(self):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True

    def stop(self):
        self.process.send_signal(self.ending)
        self.process.wait(PATIENCE_SECONDS)

    def close(self):
        with contextlib.suppress(ProcessLookupError, AttributeError):
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.output.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Postgresql(Database):
    ending = signal.SIGINT  # at once, and properly

    def __init__(self):
        super().__init__("postgres")  # it refuses to be root
        (self.folder / "password").write_text(SECRET + "\n")
        self.command([find_program("initdb"), "-D", f"{self.folder}/data", "-U", "weft", "--no-sync",
                      "-A", "scram-sha-256", f"--pwfile={self.folder}/password", "-E", "UTF8",
                      "--no-locale"])
        self.url = f"postgresql://weft:{ENCODED_SECRET}@127.0.0.1:{self.port}/postgres"

    def words(self):
        return [find_program("postgres"), "-D", f"{self.folder}/data", "-p", str(self.port), "-h",
                "127.0.0.1", "-k", str(self.folder), "-F", "-c", "shared_buffers=16MB", "-c",
                "max_connections=100"]

    # It takes them before it serves them.
    def takes_connections(self):
        return subprocess.run([find_program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)],
                              timeout=PATIENCE_SECONDS).returncode == 0


class Mariadb(Database):
    ending = signal.SIGTERM

    def __init__(self):
        super().__init__(pwd.getpwuid(os.geteuid()).pw_name)
        (self.folder / "tmp").mkdir()
        self.command([find_program("mariadb-install-db"), "--no-defaults", f"--user={self.user}",
                      f"--datadir={self.folder}/data", "--auth-root-authentication-method=normal",
                      "--skip-test-db"], env={**os.environ, "TMPDIR": f"{self.folder}/tmp"})
        (self.folder / "init.sql").write_text(
            "CREATE DATABASE IF NOT EXISTS weft CHARACTER SET utf8mb4;\n"
            f"CREATE OR REPLACE USER weft@127.0.0.1 IDENTIFIED BY '{SECRET}';\n"
            "GRANT ALL ON weft.* TO weft@127.0.0.1;\n")
        self.url = f"mariadb://weft:{ENCODED_SECRET}@127.0.0.1:{self.port}/weft"

    def words(self):
        return [find_program("mariadbd"), "--no-defaults", f"--user={self.user}",
                f"--datadir={self.folder}/data", f"--socket={self.folder}/socket",
                "--bind-address=127.0.0.1", f"--port={self.port}", "--skip-name-resolve",
                f"--pid-file={self.folder}/pid", f"--tmpdir={self.folder}/tmp", "--skip-log-bin",
                "--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=0",
                f"--init-file={self.folder}/init.sql"]


# None: it is not installed.
def start_database(name):
    kind, program = {"postgresql": (Postgresql, "initdb"), "mariadb": (Mariadb, "mariadbd")}[name]
    if find_program(program) is None:
        return None
    database = kind()
    try:
        database.start()
    except BaseException:
        database.close()
        raise
    return database


# Clients that create links one after another, and remember what they were promised.
class Load:
    def __init__(self, port, clients=8, retries=False, prefix="load", pause_seconds=0):
        self.port, self.retries, self.prefix = port, retries, prefix
        self.pause_seconds = pause_seconds
        self.lock = threading.Lock()
        self.made = {}        # key -> url: acknowledged
        self.refused = []     # statuses that are no success
        self.unanswered = []  # (number, why): nobody knows
        self.headers = {}     # of the last refusal of each status
        self.told = set()     # what the refusals say, and who says so
        self.ends = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(number,), daemon=True)
                        for number in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self, client):
        connection = None
        number = 0
        while not self.ends.wait(self.pause_seconds):
            number += 1
            name = f"{self.prefix}-{client}-{number}"
            body = {"url": f"https://example.org/{name}"}
            while True:
                try:
                    if connection is None:
                        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                                timeout=PATIENCE_SECONDS)
                    answer = ask_on(connection, "POST", "/links", body, {"Idempotency-Key": name})
                except (http.client.HTTPException, OSError) as error:
                    if connection is not None:
                        connection.close()
                    connection = None
                    with self.lock:
                        self.unanswered.append((name, repr(error)))
                    if isinstance(error, ConnectionRefusedError) and not self.retries:
                        return
                    time.sleep(0.01)
                else:
                    if answer.headers.get("Connection") == "close":
                        connection.close()
                        connection = None
                    if answer.status == 201:
                        with self.lock:
                            self.made[answer.json()["key"]] = body["url"]
                        break
                    with self.lock:
                        self.refused.append(answer.status)
                        self.headers[answer.status] = answer.headers
                        self.told.add((answer.status, answer.headers.get("Weft-Reason"), answer.body))
                    time.sleep(0.005)
                if not self.retries or self.ends.is_set():
                    break
        if connection is not None:
            connection.close()

    def wait_for(self, count):
        goal = len(self.made) + count
        until(lambda: len(self.made) >= goal, f"{count} links more")

    def end(self):
        self.ends.set()
        for thread in self.threads:
            thread.join(PATIENCE_SECONDS)
            if thread.is_alive():
                raise AssertionError("a client waits for an answer that does not come")


# All links, by their keys.
def all_links(port):
    found = {}
    after = ""
    while after is not None:
        page = ask(port, "GET", f"/links?limit=1000&after={after}").json()
        found.update((link["key"], link["url"]) for link in page["links"])
        after = page["next"]
    return found
