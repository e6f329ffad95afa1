# SPDX-License-Identifier: Apache-2.0
# sysbench's OLTP tests against a server, and what must be true of the tables behind each.
import re

import hangs

TABLES = 8
ROWS = 2000
# Each connection prepares its statements for each table, and sysbench waits no longer than 30 s.
MANY_CONNECTIONS, TABLES_OF_MANY = 1024, 2
SECONDS_BEYOND = 150  # for 1,024 connections on a busy machine
BULK_ROWS = 100_000  # an event is a row then, and there would be a million in a second

READING = ("oltp_point_select", "oltp_read_only", "select_random_points", "select_random_ranges")
UPDATING = ("oltp_update_index", "oltp_update_non_index")
REPLACING = ("oltp_read_write", "oltp_write_only")
# In this order: those behind the reading ones change the tables, the last one empties them.
TESTS = (*READING, *UPDATING, *REPLACING, "oltp_insert", "oltp_delete", "bulk_insert")


def command(server, test, action, transport, connections, seconds, launcher=(), words=()):
    where = ([f"--mysql-socket={server.socket}"] if transport == "socket"
             else ["--mysql-host=127.0.0.1", f"--mysql-port={server.port}"])
    database = "bulk" if test == "bulk_insert" else "sbtest"
    tables = TABLES if connections < MANY_CONNECTIONS else TABLES_OF_MANY
    size = ([f"--events={BULK_ROWS}"] if test == "bulk_insert"
            else [f"--tables={tables}", f"--table-size={ROWS}"])
    return [*launcher, "sysbench", test, *where, "--mysql-user=root", f"--mysql-db={database}",
            *size, f"--threads={connections}", f"--time={seconds}", "--percentile=99", *words,
            action]


# Makes the tables of all tests anew.
def prepare(server, connections):
    server.query("DROP DATABASE IF EXISTS sbtest; CREATE DATABASE sbtest;"
                 "DROP DATABASE IF EXISTS bulk; CREATE DATABASE bulk;")
    for test, threads in (("oltp_read_write", 1), ("bulk_insert", connections)):
        hangs.run(command(server, test, "prepare", "socket", threads, 1), 300, server.pid)


# Events that a run of sysbench counted.
def events_of(output):
    found = re.search(r"total number of events:\s+(\d+)", output)
    if not found:
        raise hangs.Failure(f"sysbench does not say how many events there were:\n{output[-1500:]}")
    return int(found[1])


# Sums over all tables of a database, in one number: "COUNT(*)", "SUM(k)".
def total(server, what, database="sbtest"):
    tables = [row[0] for row in server.query("SHOW TABLES", database)]
    parts = " UNION ALL ".join(f"SELECT {what} AS part FROM {table}" for table in tables)
    return server.number(f"SELECT IFNULL(SUM(part), 0) FROM ({parts}) AS parts", database)


def checksums(server):
    tables = ", ".join(f"sbtest{number + 1}" for number in range(TABLES))
    return server.query(f"CHECKSUM TABLE {tables}", "sbtest")


# What must not change, or must change by the number of events, as (name, before, after).
def state(server, test):
    if test == "bulk_insert":
        return {"rows": total(server, "COUNT(*)", "bulk")}
    seen = {"rows": total(server, "COUNT(*)")}
    if test in UPDATING:
        seen["sum of k"] = total(server, "SUM(k)")
    if test in READING:
        seen["checksums"] = checksums(server)
    return seen


def judge(test, events, before, after):
    expected = dict(before)
    if test in ("oltp_insert", "bulk_insert"):
        expected["rows"] += events
    if test == "oltp_update_index":
        expected["sum of k"] += events
    if test == "oltp_delete":  # the same row may be chosen twice
        if not before["rows"] - events <= after["rows"] <= before["rows"]:
            raise hangs.Failure(f"{events} deletions took {before['rows']} rows to {after['rows']}")
        return
    if after != expected:
        raise hangs.Failure(f"after {events} events of {test}: {after}\nexpected: {expected}")


# Runs one test, and returns its number of events.
def load(server, test, transport, connections, seconds, launcher=(), words=(), folder=None):
    before = state(server, test)
    output = hangs.run(
        command(server, test, "run", transport, connections, seconds, launcher, words),
        seconds + SECONDS_BEYOND, server.pid, folder=folder).output
    server.must_run()
    if re.search(r"^(FATAL|ALERT|error)", output, re.MULTILINE | re.IGNORECASE):
        raise hangs.Failure(f"sysbench complains:\n{output[-3000:]}")
    events = events_of(output)
    judge(test, events, before, state(server, test))
    if events == 0:
        raise hangs.Failure(f"nothing was done:\n{output[-1500:]}")
    return events
