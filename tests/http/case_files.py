# SPDX-License-Identifier: Apache-2.0
# The cases of cases/*.json for who speaks to real servers; case_file.h says what they are.
import dataclasses
import json
import pathlib

FOLDER = pathlib.Path(__file__).parent / "cases"


@dataclasses.dataclass(frozen=True)
class Case:
    family: str
    name: str
    rfc: str
    send: bytes
    expect: tuple
    closes: bool
    needs: str

    @property
    def is_head(self):
        return self.send.startswith(b"HEAD ")

    @property
    def must_be_refused(self):
        return bool(self.expect) and self.expect[0] >= 400 and self.closes


def to_bytes(send):
    if isinstance(send, str):
        return send.encode("latin-1")
    if isinstance(send, dict):
        return to_bytes(send["repeat"]) * send["times"]
    return b"".join(map(to_bytes, send))


def read_cases():
    return [Case(path.stem, case["name"], case["rfc"], to_bytes(case["send"]),
                 tuple(case["expect"]), case["closes"], case.get("needs", ""))
            for path in sorted(FOLDER.glob("*.json"))
            for case in json.loads(path.read_text(encoding="utf-8"))]
