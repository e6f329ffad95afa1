# SPDX-License-Identifier: Apache-2.0
# Apache httpd with threads (the worker and the event MPM): the same files, and load by ab.
import hashlib
import http.client
import os
import random

from clients import all_at_once
from harness import Failure, Outcome, Row, found_in, free_port, run, serve, served, version_of

TITLE = "Apache httpd"
NEEDS = {"/usr/sbin/apache2": "apache2-bin", "ab": "apache2-utils"}
WORKER_BAR = 2.0
MODULES = "/usr/lib/apache2/modules"
CONFIGURATION = """
ServerRoot {folder}
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {folder}/pid
ErrorLog {folder}/errors
DefaultRuntimeDir {folder}
Mutex default:{folder}
LoadModule mpm_{mpm}_module {modules}/mod_mpm_{mpm}.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule mime_module {modules}/mod_mime.so
TypesConfig /etc/mime.types
DocumentRoot {folder}/documents
<Directory />
AllowOverride None
Require all granted
</Directory>
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout 15
{shape}
{user}
"""
# One child with a thread for each of 256 connections; and the shape that Debian ships.
ONE_CHILD = """StartServers 1
ServerLimit 1
ThreadLimit 256
ThreadsPerChild 256
MinSpareThreads 1
MaxSpareThreads 256
MaxRequestWorkers 256"""
AS_SHIPPED = """StartServers 2
MinSpareThreads 25
MaxSpareThreads 75
ThreadLimit 64
ThreadsPerChild 25
MaxRequestWorkers 150
MaxConnectionsPerChild 0"""


def version():
    return version_of(["/usr/sbin/apache2", "-v"], r"Apache/(\S+)")


def start(place, folder, mpm, shape, port):
    for old in ("pid", "errors"):
        (folder / old).unlink(missing_ok=True)
    user = "User www-data\nGroup www-data" if os.geteuid() == 0 else ""
    configuration = folder / "configuration"
    configuration.write_text(CONFIGURATION.format(folder=folder, port=port, mpm=mpm, shape=shape,
                                                  modules=MODULES, user=user))
    return serve(place.command(["/usr/sbin/apache2", "-DFOREGROUND", "-f", configuration]), port,
                 folder=folder)


def write_documents(folder):
    documents = folder / "documents"
    documents.mkdir()
    source = random.Random(3)
    for name, length in (("empty.txt", 0), ("small.txt", 1000), ("large.bin", 1_500_000)):
        (documents / name).write_bytes(source.randbytes(length))
    for path in (documents, *documents.iterdir()):
        path.chmod(0o755)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in documents.iterdir()}


# Asks for a path; a server may close a connection that is kept alive, and a client then asks again.
def get(connection, path):
    for attempt in range(5):
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (http.client.RemoteDisconnected, ConnectionError):
            connection.close()
    raise Failure(f"GET {path}: closed without an answer, {attempt + 1} times")


# Fetches every document and one that is not there, again and again on one connection.
def fetch(port, digests, repeats):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for _ in range(repeats):
        for name, digest in digests.items():
            status, body = get(connection, f"/{name}")
            if status != 200 or hashlib.sha256(body).hexdigest() != digest:
                raise Failure(f"GET /{name}: {status}, or other bytes")
        status, _ = get(connection, "/missing")
        if status != 404:
            raise Failure(f"GET /missing: {status}")
    connection.close()


def rows(folder, short):
    digests = write_documents(folder)

    def check(place, mpm):
        port = free_port()
        with start(place, folder, mpm, AS_SHIPPED, port):
            all_at_once(32, lambda _: fetch(port, digests, 2 if short else 10))
        return Outcome("all documents, and 404 for one that is not there")

    def bench(place, mpm, shape, clients, *options):
        port = free_port()
        requests = 5_000 if short else 50_000
        with start(place, folder, mpm, shape, port) as server:
            finished = run(place.client(
                ["ab", "-q", *options, "-c", clients, "-n", requests,
                 f"http://127.0.0.1:{port}/small.txt"]), watched=server.pid)
            complete, failed = (int(found_in(rf"^{kind} requests: +(\d+)", finished.output))
                                for kind in ("Complete", "Failed"))
            if (complete, failed) != (requests, 0) or "Non-2xx" in finished.output:
                raise Failure(f"not every request was answered as it should be\n{finished.output}")
            speed = float(found_in(r"^Requests per second: +([\d.]+)", finished.output))
            return served(server, finished, requests, speed, complete)

    for mpm in ("worker", "event"):
        yield Row(f"{mpm} MPM: documents, 32 connections", lambda place, mpm=mpm: check(place, mpm),
                  pinned=False)
    yield Row("worker MPM: ab -k, 256 clients, 256 threads",
              lambda place: bench(place, "worker", ONE_CHILD, 256, "-k"), WORKER_BAR)
    yield Row("event MPM: ab -k, 128 clients, 256 threads",
              lambda place: bench(place, "event", ONE_CHILD, 128, "-k"))
    yield Row("worker MPM: ab, 64 clients, a connection each request",
              lambda place: bench(place, "worker", AS_SHIPPED, 64), quick=False)
    yield Row("event MPM: ab, 64 clients, a connection each request",
              lambda place: bench(place, "event", AS_SHIPPED, 64), quick=False)
