# SPDX-License-Identifier: Apache-2.0
# PostgreSQL and MariaDB as servers of a test's own, that can be stopped, started and told to stand still.
import contextlib
import glob
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from service import PATIENCE_SECONDS, free_port, until  # noqa: E402

SECRET = "p@ss:w/rd%"
ENCODED_SECRET = "p%40ss%3Aw%2Frd%25"


def find_program(name):
    places = os.environ["PATH"].split(":") + ["/usr/sbin", "/sbin"] + glob.glob("/usr/lib/postgresql/*/bin")
    return shutil.which(name, path=":".join(places))


# Words that make a command run as another user, where we may and must.
def words_as(user, words):
    if os.geteuid() != 0 or user == pwd.getpwuid(os.geteuid()).pw_name:
        return words
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", *words]


# The letter of a process's state, and its parent.
def state_of(process):
    stat = pathlib.Path(f"/proc/{process}/stat").read_text()
    state, parent = stat.rpartition(")")[2].split()[:2]
    return state, int(parent)


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

    # SIGSTOP or SIGCONT, to the process and to its children, which may lead sessions of their own.
    # It comes first: while it stands still there are no new ones, which would be missed.
    def freeze(self, sent):
        parent = self.process.pid
        os.kill(parent, sent)
        if sent == signal.SIGSTOP:
            until(lambda: state_of(parent)[0] == "T", "the database stands still")
        for entry in os.listdir("/proc"):
            with contextlib.suppress(OSError):
                if entry.isdigit() and state_of(entry)[1] == parent:
                    os.kill(int(entry), sent)

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

    # Whoever writes into this table waits.
    @contextlib.contextmanager
    def hold(self, table):
        holder = subprocess.Popen([find_program("psql"), "-qAt", "-h", "127.0.0.1", "-p", str(self.port), "-U",
                                   "weft", "postgres"], env={**os.environ, "PGPASSWORD": SECRET},
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.output, text=True)
        try:
            holder.stdin.write(f"BEGIN; LOCK TABLE {table} IN EXCLUSIVE MODE; SELECT 'held';\n")
            holder.stdin.flush()
            if holder.stdout.readline() != "held\n":
                raise AssertionError((self.folder / "output").read_text(errors="replace"))
            yield
        finally:
            holder.communicate("COMMIT;\n", PATIENCE_SECONDS)


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
