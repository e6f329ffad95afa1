# SPDX-License-Identifier: Apache-2.0
# Responses out of the bytes that a server sent, read as strictly as RFC 9112 has them.


class Malformed(Exception):
    pass


class Reader:
    # What the stream is worth by now: `statuses` of the whole responses, and whether the last one
    # said that it is the last.
    def __init__(self, first_is_to_head=False):
        self.statuses = []
        self.bodies = []
        self.heads = []
        self.says_close = False
        self._bytes = b""
        self._next_is_to_head = first_is_to_head

    @property
    def rest(self):  # of a response that is not whole
        return self._bytes

    def feed(self, piece):
        self._bytes += piece
        while self._bytes and self._take_one(False):
            pass

    # The peer has ended: that completes a body without a length.
    def end(self):
        if self._bytes:
            self._take_one(True)

    def _take_one(self, is_over):
        head, found, rest = self._bytes.partition(b"\r\n\r\n")
        if not found:
            if not b"HTTP/1.1 ".startswith(head[:9]) and not head.startswith((b"HTTP/1.0 ",
                                                                              b"HTTP/1.1 ")):
                raise Malformed(f"no response: {head[:60]!r}")
            return False
        line, *fields = head.split(b"\r\n")
        version, status, *_ = line.split(b" ", 2) + [b""]
        if version not in (b"HTTP/1.1", b"HTTP/1.0") or len(status) != 3 or not status.isdigit():
            raise Malformed(f"no status line: {line[:60]!r}")
        named = {}
        for field in fields:
            name, colon, value = field.partition(b":")
            if not colon or name != name.strip():
                raise Malformed(f"no field: {field[:60]!r}")
            named.setdefault(name.lower(), []).append(value.strip())
        body = self._body_of(int(status), named, rest, is_over)
        if body is None:
            return False
        content, self._bytes = body
        self.statuses.append(int(status))
        if int(status) < 200:
            return True
        self._next_is_to_head = False
        self.bodies.append(content)
        self.heads.append(named)
        options = b",".join(named.get(b"connection", [])).lower()
        self.says_close = b"close" in options or (version == b"HTTP/1.0" and
                                                  b"keep-alive" not in options)
        return True

    # The body and what is behind it; nothing where it is not whole.
    def _body_of(self, status, named, rest, is_over):
        if self._next_is_to_head or status < 200 or status in (204, 304):
            return b"", rest
        if b"transfer-encoding" in named:
            return self._chunks(rest)
        lengths = named.get(b"content-length", [])
        if len(set(lengths)) > 1:
            raise Malformed("two lengths")
        if not lengths:
            return (rest, b"") if is_over else None
        length = int(lengths[0])
        return (rest[:length], rest[length:]) if len(rest) >= length else None

    def _chunks(self, rest):
        content = b""
        while True:
            line, found, rest = rest.partition(b"\r\n")
            if not found:
                return None
            size = int(line.split(b";")[0], 16)
            if size == 0:
                while rest[:2] != b"\r\n":
                    line, found, rest = rest.partition(b"\r\n")
                    if not found:
                        return None
                return content, rest[2:]
            if len(rest) < size + 2:
                return None
            if rest[size:size + 2] != b"\r\n":
                raise Malformed("a chunk that does not end")
            content, rest = content + rest[:size], rest[size + 2:]
