# SPDX-License-Identifier: Apache-2.0
# docs/http_strictness.md: where servers differ in what they make of the same bytes, and why.
import fnmatch
import json
import pathlib

import peer_servers

HERE = pathlib.Path(__file__).parent
PATH = HERE.parent.parent / "docs" / "http_strictness.md"
# Resources that a server cannot have without a program of its own; tests/http/cases_test.cc has them.
ABSENT = (b" /stream ", b" /early ")
INTRODUCTION = """# How strictly requests are read, beside others

Written by [compare_servers.py](../tests/http/compare_servers.py): {count} requests and parts of requests
([tests/http/cases](../tests/http/cases)) as the same bytes to each server:
{versions}, those of Debian 12 with their default limits, and with
the same resources ([peers](../tests/http/peers)). What weft does is what the cases expect;
[live_cases_test.py](../tests/http/live_cases_test.py) holds `weft serve` to it over TCP, on each
policy and in several segmentations. Why weft does it is in [decision 014](decisions/014-http-parsing.md).

`400.` is an answer with that status, and then the end of the connection; `200` one after which it is kept;
`waits` no answer, as if more had to come; `ends` an end without a word; `=` the same as weft; `-` not asked (Node's
http serves no files).

| | {names} |
|---|{lines}|
"""
ROWS = {"same": "answered the same", "laxer": "answered, where weft refuses",
        "stricter": "refused, where weft answers", "status": "refused with another status, or kept",
        "other": "otherwise"}


def is_compared(case):
    return not any(absent in case.send for absent in ABSENT)


def applies(name, case):
    return not (name == "Node" and case.family in peer_servers.OF_FILES)


def text_of(statuses, closes):
    if not statuses:
        return "ends" if closes else "waits"
    return " ".join(map(str, statuses)) + ("." if closes else "")


def is_same(case, outcome):
    return (list(case.expect), case.closes) == (outcome["statuses"], outcome["closes"])


def kind_of(case, outcome):
    if is_same(case, outcome):
        return "same"
    final = [status for status in outcome["statuses"] if status >= 200]
    refuses = bool(case.expect) and case.expect[-1] >= 400
    is_refused = bool(final) and final[-1] >= 400 and len(final) <= len(case.expect)
    if refuses and is_refused:
        return "status"
    if refuses and final:
        return "laxer"
    return "stricter" if is_refused and not refuses else "other"


def topic_of(case, topics):
    key = f"{case.family}/{case.name}"
    for topic in topics:
        if any(fnmatch.fnmatchcase(key, pattern) for pattern in topic["cases"]):
            return topic["topic"]
    return None


def table(cases, outcomes):
    yield "| case | weft | " + " | ".join(outcomes) + " |"
    yield "|---|---|" + "---|" * len(outcomes)
    for case in cases:
        row = [case.name.replace("|", "\\|"), text_of(case.expect, case.closes)]
        for name in outcomes:
            outcome = outcomes[name].get(case.name)
            row.append("-" if outcome is None else "=" if is_same(case, outcome) else
                       text_of(outcome["statuses"], outcome["closes"]))
        yield "| " + " | ".join(row) + " |"


# The page, and what is wrong with the explanations.
def write(cases, outcomes, versions):
    topics = json.loads((HERE / "differences.json").read_text(encoding="utf-8"))
    page = INTRODUCTION.format(
        count=len(cases), versions=", ".join(f"{name} {versions[name]}" for name in versions),
        names=" | ".join(outcomes), lines="|".join(["---"] * len(outcomes)))
    for kind, words in ROWS.items():
        counts = [sum(kind_of(case, outcomes[name][case.name]) == kind for case in cases
                      if case.name in outcomes[name]) for name in outcomes]
        page += f"| {words} | {' | '.join(map(str, counts))} |\n"
    by_topic, problems = {}, []
    for case in cases:
        if all(is_same(case, seen[case.name]) for seen in outcomes.values() if case.name in seen):
            continue
        topic = topic_of(case, topics)
        if topic is None:
            problems.append(f"no explanation: {case.family}/{case.name}: weft "
                            f"{text_of(case.expect, case.closes)}, " + ", ".join(
                                f"{name} {text_of(seen[case.name]['statuses'], seen[case.name]['closes'])}"
                                for name, seen in outcomes.items() if case.name in seen))
        by_topic.setdefault(topic, []).append(case)
    for topic in topics:
        differing = by_topic.get(topic["topic"], [])
        if not differing:
            problems.append(f"nobody differs any more: {topic['topic']}")
            continue
        rfcs = topic["rfc"]
        page += f"\n## {topic['topic']}\n\n*RFC {rfcs}.* {topic['text']}\n\n"
        page += "\n".join(table(differing, outcomes)) + "\n"
    return page, problems
