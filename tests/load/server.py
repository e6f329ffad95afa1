# SPDX-License-Identifier: Apache-2.0
# A small HTTP server that misbehaves as it is asked to, by path; for the tests of `weft load`.
import asyncio
import socket
import ssl
import struct
import threading
import time

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
ANSWERS = {
    "/hello": PLAIN,
    "/chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "/503": b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n",
    "/404": b"HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n",
    "/500": b"HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n",
    "/garbage": b"SSH-2.0-no\r\n\r\n",
    "/longer": PLAIN + b"more",
    "/204": b"HTTP/1.1 204 Nothing\r\n\r\n",
    "/interim": b"HTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" + PLAIN,
}
# Answers after which the connection is closed.
LAST_ANSWERS = {
    "/close": b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
    "/until-close": b"HTTP/1.1 200 OK\r\n\r\nhello",
    "/cut": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello",
    "/cut-chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    "/nothing": b"",
}


class Server:
    def __init__(self, certificate=None, key=None):
        self.requests = []      # (method, path, headers, body)
        self.connections = 0
        self.stall_at = None    # with the so many-th request everything stops for stall_seconds
        self.stall_seconds = 0.3
        self.slow_every = 100   # of /sometimes, each so many-th takes slow_seconds
        self.slow_seconds = 0.05
        self.sometimes = 0
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate, key)
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        assert self.ready.wait(10)

    def run(self):
        asyncio.set_event_loop(self.loop)
        self.server = self.loop.run_until_complete(
            asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=self.context, backlog=1024))
        self.port = self.server.sockets[0].getsockname()[1]
        self.ready.set()
        self.loop.run_forever()
        self.server.close()
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()

    def url(self, path, host="127.0.0.1"):
        return f"{'https' if self.context else 'http'}://{host}:{self.port}{path}"

    def close(self):
        if self.thread.is_alive():
            self.loop.call_soon_threadsafe(self.loop.stop)
            self.thread.join(10)

    async def serve(self, reader, writer):
        self.connections += 1
        try:
            while await self.answer_one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    # Whether the connection goes on.
    async def answer_one(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line, *fields = head.split("\r\n")
        method, path, _ = line.split(" ")
        headers = dict(field.split(": ", 1) for field in fields if field)
        body = await reader.readexactly(int(headers.get("Content-Length", 0)))
        self.requests.append((method, path, headers, body))
        if self.stall_at is not None and len(self.requests) == self.stall_at:
            time.sleep(self.stall_seconds)  # the whole loop: nobody is served meanwhile
        if path == "/never":
            await asyncio.sleep(60)
        if path == "/sometimes":
            self.sometimes += 1
            if self.sometimes % self.slow_every == 0:
                await sleep_at_least(self.slow_seconds)
            path = "/hello"
        if path == "/reset":
            writer.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        if path in LAST_ANSWERS:
            writer.write(LAST_ANSWERS[path])
            await writer.drain()
            return False
        answer = ANSWERS[path]
        if method == "HEAD":
            answer = answer[:answer.index(b"\r\n\r\n") + 4]
        writer.write(answer)
        await writer.drain()
        return headers.get("Connection") != "close"


async def sleep_at_least(seconds):
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        await asyncio.sleep(left)


# A port that nobody listens on.
def refused_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
