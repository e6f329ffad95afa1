#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The bytes of the cases to nginx, Apache httpd, Node and Go beside what `weft serve` answers, and
# docs/http_strictness.md from that. What `weft serve` answers is in the cases, and live_cases_test.py
# holds it to them.
#
#   compare_servers.py [--only NAME]... [--check] [--outcomes FILE]
#
# --check writes nothing. --outcomes keeps what was seen, as JSON.
# Exit: 0 each difference is explained in differences.json, 1 one is not, or is no more.
import argparse
import json
import os
import pathlib
import sys
import tempfile

import case_files
import peer_servers
import strictness_page
import talk

MODIFIED_UNIX_SECONDS = 784111777  # Sun, 06 Nov 1994 08:49:37 GMT
AT_ONCE = 120  # connections


def tag_of(port):
    conversation = talk.Conversation([b"GET /file.txt HTTP/1.1\r\nHost: localhost\r\n\r\n"])
    talk.hold(("127.0.0.1", port), [conversation])
    return conversation.reader.heads[0].get(b"etag", [b'"v1"'])[0]


def outcomes_of(name, cases):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        folder.chmod(0o755)
        (folder / "documents").mkdir(mode=0o755)
        (folder / "documents" / "index.html").write_bytes(b"hello")
        (folder / "documents" / "file.txt").write_bytes(b"x" * 1000)
        os.utime(folder / "documents" / "file.txt", (MODIFIED_UNIX_SECONDS,) * 2)
        with peer_servers.running(name, folder) as port:
            tag = tag_of(port)
            applying = [case for case in cases if strictness_page.applies(name, case)]
            for begin in range(0, len(applying), AT_ONCE):
                part = applying[begin:begin + AT_ONCE]
                conversations = [talk.Conversation(
                    [case.send.replace(b'"v1"', tag) if case.needs == "tag" else case.send],
                    case.is_head) for case in part]
                talk.hold(("127.0.0.1", port), conversations)
                for case, conversation in zip(part, conversations):
                    yield case.name, {"statuses": conversation.statuses,
                                      "closes": conversation.is_closed,
                                      "problem": conversation.problem}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", action="append", choices=peer_servers.PEERS)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--outcomes", type=pathlib.Path)
    arguments = parser.parse_args()
    cases = [case for case in case_files.read_cases() if strictness_page.is_compared(case)]
    names = arguments.only or list(peer_servers.PEERS)
    outcomes = {name: dict(outcomes_of(name, cases)) for name in names}
    if arguments.outcomes:
        arguments.outcomes.write_text(json.dumps(outcomes, indent=1))
    versions = {name: peer_servers.version_of(name) for name in names}
    page, problems = strictness_page.write(cases, outcomes, versions)
    for problem in problems:
        print(problem)
    if not problems and not arguments.check and not arguments.only:
        strictness_page.PATH.write_text(page, encoding="utf-8")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
