# SPDX-License-Identifier: Apache-2.0
# Clients that create links, and remember what they were promised.
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from clients import Clients  # noqa: E402


class Load(Clients):
    def __init__(self, port, clients=8, retries=False, prefix="load", pause_seconds=0, keeps=True):
        self.prefix = prefix
        self.headers = {} if keeps else {"Connection": "close"}  # after each request
        super().__init__(port, self.creation, clients, retries, pause_seconds)

    # Whoever creates it again gets the same.
    def creation(self, client, number):
        name = f"{self.prefix}-{client}-{number}"
        return name, "POST", "/links", {"url": url_of(name)}, {"Idempotency-Key": name, **self.headers}

    # What was acknowledged: key -> url.
    @property
    def made(self):
        return {attempt.answer.json()["key"]: url_of(attempt.name) for attempt in list(self.succeeded)}


def url_of(name):
    return f"https://example.org/{name}"
