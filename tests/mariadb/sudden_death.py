# SPDX-License-Identifier: Apache-2.0
# `kill -9` of a server that is written to, and what must still be there after its next start.
#
# Writers insert numbers, two rows in a transaction, into two tables, and note each number outside
# the server once the answer to its COMMIT has come. After the restart every noted number must be
# there, in both tables, and no number may be in one of them alone.
import contextlib
import subprocess
import threading
import time

import hangs
import oltp

WRITERS = 6
TABLES = ("ledger_a", "ledger_b")


def prepare(server):
    server.query("CREATE DATABASE IF NOT EXISTS ledger")
    for table in TABLES:
        server.query(f"CREATE TABLE IF NOT EXISTS {table} (writer INT NOT NULL, "
                     "number INT NOT NULL, filler VARCHAR(200) NOT NULL, "
                     "PRIMARY KEY (writer, number)) ENGINE=InnoDB", "ledger")


# One connection that writes until the server is gone.
class Writer(threading.Thread):
    def __init__(self, server, number, first, transport, notes):
        super().__init__(daemon=True)
        self.number, self.next = number, first
        self.notes = notes
        self.client = subprocess.Popen(
            [*server.client(transport), "--unbuffered", "ledger"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def run(self):
        with contextlib.suppress(OSError, ValueError), open(self.notes, "a") as notes:
            while self.write_one():
                notes.write(f"{self.number} {self.next}\n")
                notes.flush()
                self.next += 1

    # True once the server has said that the transaction is committed.
    def write_one(self):
        inserts = "".join(f"INSERT INTO {table} VALUES ({self.number}, {self.next}, "
                          f"REPEAT('x', {self.next % 200}));" for table in TABLES)
        self.client.stdin.write(f"BEGIN; {inserts} COMMIT; SELECT 'committed', {self.next};\n")
        self.client.stdin.flush()
        return self.client.stdout.readline() == f"committed\t{self.next}\n"

    def end(self):
        self.client.kill()
        self.client.wait()
        self.join(30)


def noted(notes):
    if not notes.exists():
        return set()
    return {tuple(map(int, line.split())) for line in notes.read_text().splitlines()}


def found_in(server, table):
    return {tuple(map(int, row)) for row in server.query(f"SELECT writer, number FROM {table}",
                                                         "ledger")}


# Loads the server, kills it, starts it again and compares; returns how many commits were noted.
def die_once(server, seconds, notes):
    before = len(noted(notes))
    first = {writer: 1 + max((number for who, number in noted(notes) if who == writer), default=0)
             for writer in range(WRITERS)}
    # What was committed just before the death without being noted has its number already.
    for writer in first:
        first[writer] = max(first[writer], 1 + server.number(
            f"SELECT IFNULL(MAX(number), 0) FROM ledger_a WHERE writer = {writer}", "ledger"))
    writers = [Writer(server, number, first[number], ("socket", "tcp")[number % 2], notes)
               for number in range(WRITERS)]
    background = subprocess.Popen(
        oltp.command(server, "oltp_write_only", "run", "socket", 16, int(seconds) + 60),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for writer in writers:
            writer.start()
        wait_for_commits(server, notes, before + WRITERS * 5, 120)
        time.sleep(seconds)
        server.must_run()
        server.kill()
    finally:
        for writer in writers:
            writer.end()
        background.kill()
        background.wait()
    server.start()
    compare(server, noted(notes))
    server.check_tables("ledger")
    server.check_tables("sbtest")
    return len(noted(notes)) - before


def wait_for_commits(server, notes, least, seconds):
    until = time.monotonic() + seconds
    while len(noted(notes)) < least:
        server.must_run()
        if time.monotonic() > until:
            raise hangs.Hang(f"{len(noted(notes))} commits instead of {least} in {seconds} s\n"
                             f"{hangs.describe(server.pid)}")
        time.sleep(0.1)


def compare(server, acknowledged):
    tables = [found_in(server, table) for table in TABLES]
    for table, rows in zip(TABLES, tables):
        lost = sorted(acknowledged - rows)
        if lost:
            raise hangs.Failure(f"{len(lost)} acknowledged commits are lost from {table}, "
                                f"as (writer, number): {lost[:10]}")
    if tables[0] != tables[1]:
        raise hangs.Failure(f"torn transactions: {sorted(tables[0] ^ tables[1])[:10]}")
