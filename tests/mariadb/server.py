# SPDX-License-Identifier: Apache-2.0
# A MariaDB server of our own: its data directory, its start, its stop, its sudden death.
import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time

import hangs

START_SECONDS = 120
STOP_SECONDS = 120
QUERY_SECONDS = 120
SETTINGS = (
    "--innodb-buffer-pool-size=128M", "--max-connections=2000", "--table-open-cache=4000",
    "--back-log=1500", "--max-prepared-stmt-count=1048576", "--skip-log-bin",
    "--innodb-flush-log-at-trx-commit=1", "--bind-address=127.0.0.1", "--skip-name-resolve",
    "--connect-timeout=120",  # many at once are slow to shake hands where the machine is busy
)


# Whose files the data are: mariadbd is root only where it is told to be, and has no user of its own
# where the server's package alone is installed.
def server_user():
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    return "mysql" if any(user.pw_name == "mysql" for user in pwd.getpwall()) else "root"


# Makes an empty data directory in `folder`, which is the server's then.
def make_data(folder):
    folder.chmod(0o755)
    shutil.chown(folder, server_user())
    temporary = folder / "tmp"  # a server that starts takes away what others have in theirs
    temporary.mkdir()
    shutil.chown(temporary, server_user())
    data = folder / "data"
    data.mkdir()
    hangs.run(["mariadb-install-db", "--no-defaults", f"--user={server_user()}",
               f"--datadir={data}", "--auth-root-authentication-method=normal", "--skip-test-db"],
              300, environment={**os.environ, "TMPDIR": str(temporary)})
    return data


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


class Server:
    # `launcher` are the words before mariadbd: none natively, those of `weft run` else.
    def __init__(self, folder, data, launcher=(), settings=()):
        self.folder, self.data = folder, data
        self.launcher, self.settings = list(launcher), list(settings)
        self.socket = folder / "server.sock"
        self.log = folder / "server.log"
        self.port = free_port()
        self.process = None
        self.ended = False  # as it was asked to

    def start(self):
        with contextlib.suppress(FileNotFoundError):
            self.socket.unlink()
        command = [*self.launcher, "mariadbd", "--no-defaults", f"--user={server_user()}",
                   f"--datadir={self.data}", f"--socket={self.socket}", f"--port={self.port}",
                   f"--pid-file={self.folder / 'server.pid'}",
                   f"--tmpdir={self.folder / 'tmp'}", *SETTINGS, *self.settings]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, start_new_session=True)
        self.wait_until_it_answers()

    @property
    def pid(self):
        return self.process.pid  # weft run becomes the program

    def wait_until_it_answers(self):
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise hangs.Failure(f"the server ended at its start: {self.process.returncode}\n"
                                    f"{self.end_of_log()}")
            with contextlib.suppress(subprocess.TimeoutExpired):
                asked = subprocess.run(["mariadb-admin", "--no-defaults", "-uroot",
                                        f"--socket={self.socket}", "--connect-timeout=5", "ping"],
                                       capture_output=True, timeout=20)
                if asked.returncode == 0:
                    return
            time.sleep(0.1)
        raise hangs.Hang(f"the server does not answer {START_SECONDS} s after its start\n"
                         f"{hangs.describe(self.pid)}\n{self.end_of_log()}")

    # Asks the server to end, and waits until it has, with exit code 0.
    def stop(self):
        hangs.run(["mariadb-admin", "--no-defaults", "-uroot", f"--socket={self.socket}",
                   "shutdown"], STOP_SECONDS, self.pid)
        self.wait_for_end()

    def wait_for_end(self):
        try:
            code = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            raise hangs.Hang(f"the server does not end\n{hangs.describe(self.pid)}\n"
                             f"{self.end_of_log()}") from None
        if code != 0:
            raise hangs.Failure(f"the server ended with {code}\n{self.end_of_log()}")
        self.ended = True

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            self.process.wait()

    def must_run(self):
        if self.process.poll() is not None:
            raise hangs.Failure(f"the server has died: {self.process.returncode}\n"
                                f"{self.end_of_log()}")

    def end_of_log(self):
        text = self.log.read_text(errors="replace")
        return "end of the server's log:\n" + "\n".join(text.splitlines()[-60:])

    # Words for the mariadb client, to reach this server by its socket or by TCP.
    def client(self, transport="socket"):
        where = ([f"--socket={self.socket}"] if transport == "socket"
                 else ["--host=127.0.0.1", f"--port={self.port}", "--protocol=tcp"])
        return ["mariadb", "--no-defaults", "-uroot", "--batch", "--skip-column-names", *where]

    # Rows of an answer, each a list of its columns.
    def query(self, statement, database=None, words=(), transport="socket"):
        command = [*self.client(transport), *words, *([database] if database else [])]
        answer = hangs.run(command, QUERY_SECONDS, self.pid, text=statement)
        return [line.split("\t") for line in answer.output.splitlines()]

    def number(self, statement, database=None):
        return int(self.query(statement, database)[0][0])

    # Holds CHECK TABLE against every table of a database.
    def check_tables(self, database):
        tables = [row[0] for row in self.query("SHOW TABLES", database)]
        if not tables:
            return
        rows = self.query(f"CHECK TABLE {', '.join(tables)} EXTENDED", database)
        bad = [row for row in rows if row[2:] != ["status", "OK"]]
        if bad or len(rows) != len(tables):
            raise hangs.Failure(f"CHECK TABLE is not clean: {bad or rows}")


@contextlib.contextmanager
def running(folder, data, launcher=(), settings=()):
    server = Server(folder, data, launcher, settings)
    try:
        server.start()
        yield server
        if not server.ended:
            server.must_run()
            server.stop()
    finally:
        server.kill()
