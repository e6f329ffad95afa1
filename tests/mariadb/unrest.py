# SPDX-License-Identifier: Apache-2.0
# What disturbs a server: connections that come and go, are killed or time out, ends under load.
import contextlib
import signal
import subprocess
import time

import hangs
import oltp

LOADED_CONNECTIONS = 128
NOTICE_SECONDS = 60  # until something that was killed must have noticed


# A load that goes on while the server is disturbed, and may fail then.
@contextlib.contextmanager
def background_load(server, test, connections):
    process = subprocess.Popen(
        oltp.command(server, test, "run", "socket", connections, 300),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(server, f"{connections} connections",
                   lambda: connected(server) >= connections)
        yield process
    finally:
        process.kill()
        process.wait()


def connected(server):
    return int(server.query("SHOW STATUS LIKE 'Threads_connected'")[0][1]) - 1


def wait_until(server, what, holds):
    until = time.monotonic() + NOTICE_SECONDS
    while not holds():
        server.must_run()
        if time.monotonic() > until:
            raise hangs.Hang(f"not after {NOTICE_SECONDS} s: {what}\n{hangs.describe(server.pid)}")
        time.sleep(0.1)


# Every connection ends after a few queries, and a new one is made.
def reconnect(server, transport, connections, queries):
    where = server.client(transport)[2:]
    words = [word for word in where if word.startswith(("-u", "--socket", "--host", "--port",
                                                        "--protocol"))]
    hangs.run(["mariadb-slap", "--no-defaults", "--skip-ssl", *words,
               f"--concurrency={connections}", f"--number-of-queries={queries}", "--detach=3",
               "--create-schema=sbtest", "--query=SELECT c FROM sbtest1 WHERE id = 7"], 300,
              server.pid)
    wait_until(server, "all connections are gone", lambda: connected(server) <= 0)


# The server is told to end while all connections are busy.
def shut_down_under_load(server):
    with background_load(server, "oltp_read_write", LOADED_CONNECTIONS):
        server.stop()


def terminate_under_load(server):
    with background_load(server, "oltp_read_write", LOADED_CONNECTIONS):
        server.process.send_signal(signal.SIGTERM)
        server.wait_for_end()


# Queries that sleep, wait for a lock of their own or for a row, killed from outside.
def kill_those_who_wait(server):
    server.query("DROP DATABASE IF EXISTS unrest; CREATE DATABASE unrest")
    server.query("CREATE TABLE row_of_all (id INT PRIMARY KEY, n INT) ENGINE=InnoDB;"
                 "INSERT INTO row_of_all VALUES (1, 0)", "unrest")
    holder = "BEGIN; UPDATE row_of_all SET n = 1; SELECT GET_LOCK('gate', 0); DO SLEEP(1000);"
    waiting = ("DO SLEEP(1000)", "SELECT GET_LOCK('gate', 1000)",
               "SET innodb_lock_wait_timeout = 1000; UPDATE row_of_all SET n = 2",
               "LOCK TABLES row_of_all WRITE")
    with contextlib.ExitStack() as stack:
        stack.enter_context(session(server, holder))
        wait_until(server, "the lock is held", lambda: len(waiters(server)) == 1)
        for statement in waiting:
            stack.enter_context(session(server, statement))
        wait_until(server, "all wait", lambda: len(waiters(server)) == len(waiting) + 1)
        # Whom the others wait for comes last.
        ways = ("KILL QUERY", "KILL", "KILL HARD", "KILL SOFT", "KILL")
        for number, how in zip(reversed(waiters(server)), ways):
            server.query(f"{how} {number}")
        wait_until(server, "all killed are gone", lambda: not waiters(server))
    if server.number("SELECT n FROM row_of_all", "unrest") not in (0, 1, 2):
        raise hangs.Failure("a row that nobody wrote")


@contextlib.contextmanager
def session(server, statements):
    process = subprocess.Popen([*server.client(), "unrest", "-e", statements],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()


# Ids of the sessions in the database that are at a statement for which they have to wait.
def waiters(server):
    rows = server.query("SELECT id FROM information_schema.processlist WHERE db = 'unrest' AND "
                        "(info LIKE '%SLEEP(1000)%' OR info LIKE '%GET_LOCK%1000%' OR "
                        "info LIKE 'UPDATE%n = 2%' OR info LIKE 'LOCK%') "
                        "AND id <> CONNECTION_ID() ORDER BY id")
    return [int(row[0]) for row in rows]


# Sessions that say nothing are ended by the server, by its own clock.
def time_out_the_idle(server):
    before = connected(server)
    idle = [subprocess.Popen([*server.client(transport), "--unbuffered"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            for transport in ("socket", "tcp") * 8]
    try:
        for process in idle:
            process.stdin.write("SET SESSION wait_timeout = 1; SELECT 'set';\n")
            process.stdin.flush()
        for process in idle:
            if process.stdout.readline() != "set\n":
                raise hangs.Failure("a session could not set its time-out")
        wait_until(server, "idle sessions are ended", lambda: connected(server) <= before)
    finally:
        for process in idle:
            process.kill()
            process.wait()
