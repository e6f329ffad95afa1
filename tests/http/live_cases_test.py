#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Every case of cases/*.json as bytes over TCP to a real `weft serve`: whole, cut behind every line,
# and byte by byte, on the policies that are named. As many responses as there must be, each with
# its status, whole, and then the end or none.
#
#   live_cases_test.py WEFT POLICY...
import os
import random
import re
import sys
import time

import case_files
import talk

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve"))
import serving  # noqa: E402

MODIFIED_UNIX_SECONDS = 784111777  # Sun, 06 Nov 1994 08:49:37 GMT
SEED = 5
MOST_PIECES = 600

# Resources of the cases that `weft serve` has no handler for; tests/http/cases_test.cc has.
ABSENT = (b" /stream ", b" /early ")


def pieces_whole(send):
    return [send]


def pieces_by_line(send):
    return re.findall(rb"[^\n]*\n|[^\n]+", send)


# Those that are long are cut at as many places as there may be.
def pieces_by_byte(send):
    if len(send) <= MOST_PIECES:
        return [send[i:i + 1] for i in range(len(send))]
    cuts = sorted(random.Random(SEED).sample(range(1, len(send)), MOST_PIECES))
    return [send[i:j] for i, j in zip([0, *cuts], [*cuts, len(send)])]


CUTS = {"whole": pieces_whole, "by line": pieces_by_line, "byte by byte": pieces_by_byte}


# As the server has it: its own place for the echo, its own tag for the file.
def adapted(case, tag):
    send = re.sub(rb"(POST|PUT|GET|HEAD) /echo(?=[ ?])", rb"\1 /_/echo", case.send)
    return send.replace(b'"v1"', tag) if case.needs == "tag" else send


def hold(server, cases, tag, cut):
    conversations = [talk.Conversation(CUTS[cut](adapted(case, tag)), case.is_head,
                                       len(case.expect), case.closes) for case in cases]
    talk.hold(("127.0.0.1", server.port), conversations)
    return list(zip(cases, conversations))


# Who comes with hundreds of others to a machine that is busy elsewhere may be asked to come again, or
# be too slow itself. That says nothing of the case, which is then tried alone.
LOAD_STATUSES = {503, 408}


def was_turned_away(case, conversation):
    return bool(LOAD_STATUSES.intersection(conversation.statuses) - set(case.expect))


def run(server, cases, tag, cut):
    held = hold(server, cases, tag, cut)
    for i, (case, conversation) in enumerate(held):
        if was_turned_away(case, conversation):
            held[i] = hold(server, [case], tag, cut)[0]
    for case, conversation in held:
        had = (tuple(conversation.statuses), conversation.is_closed)
        rest = conversation.reader.rest
        if had != (case.expect, case.closes) or conversation.problem or rest:
            yield (f"{case.family}: {case.name}: expected {case.expect}, closes {case.closes}; "
                   f"had {had[0]}, closes {had[1]} {conversation.problem} {rest[:80]!r}")


def main():
    weft, policies = os.path.abspath(sys.argv[1]), sys.argv[2:]
    cases = [case for case in case_files.read_cases()
             if not any(absent in case.send for absent in ABSENT)]
    failures = 0
    with serving.folder_of(index__html=b"hello", file__txt=b"x" * 1000) as folder:
        os.utime(os.path.join(folder, "file.txt"), (MODIFIED_UNIX_SECONDS,) * 2)
        for policy in policies:
            with serving.Server(weft, folder, "--test-handlers", "--policy", policy) as server:
                tag = server.get("/file.txt")[2]["ETag"].encode()
                for cut in CUTS:
                    began = time.monotonic()
                    wrong = list(run(server, cases, tag, cut))
                    failures += len(wrong)
                    print(f"{policy}, {cut}: {len(cases)} cases, {len(wrong)} wrong, "
                          f"{time.monotonic() - began:.1f} s")
                    for line in wrong:
                        print("  " + line)
                if server.end() != 0:
                    failures += 1
                    print(f"{policy}: did not end well: {server.last_words}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
