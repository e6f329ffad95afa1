# SPDX-License-Identifier: Apache-2.0
# The text format of Prometheus, read strictly: what its own parser would bear is not enough here.
import math
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})((?:\{{{LABEL}(?:,{LABEL})*\}})?) (\S+)")
COMMENT = re.compile(rf"# (HELP|TYPE) ({NAME}) (\S.*)")
TYPES = ("counter", "gauge", "histogram")
ENDINGS = {"counter": ("",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}


# Answers {(name, labels): value} and {family: type}; an AssertionError says what is wrong.
def parse(text):
    assert text.endswith("\n"), "the last line does not end"
    samples, types, helps, family = {}, {}, set(), None
    for line in text.splitlines():
        if line.startswith("#"):
            comment = COMMENT.fullmatch(line)
            assert comment, f"no comment that says anything: {line}"
            kind, name, rest = comment.groups()
            if kind == "HELP":
                assert name not in helps, f"{name} is described twice"
                helps.add(name)
                family = name
            else:
                assert name == family and name not in types, f"the type is out of place: {line}"
                assert rest in TYPES, line
                types[name] = rest
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample, f"no sample: {line}"
        name, labels, value = sample.groups()
        assert family in types, f"nothing says what this is: {line}"
        assert name in [family + ending for ending in ENDINGS[types[family]]], \
            f"{name} is no sample of {family}, below which it stands"
        assert (name, labels) not in samples, f"twice: {line}"
        assert types[family] != "counter" or family.endswith("_total"), f"{family} is a counter"
        samples[name, labels] = float(value)
        assert math.isfinite(float(value)), line
    for name in helps:
        assert name in types, f"{name} has no type"
    for name in (name for name, kind in types.items() if kind == "histogram"):
        check_histogram(name, samples)
    return samples, types


def check_histogram(name, samples):
    buckets = [(labels, value) for (of, labels), value in samples.items() if of == f"{name}_bucket"]
    bounds = [float(re.search(r'le="([^"]*)"', labels)[1]) for labels, _ in buckets]
    counts = [value for _, value in buckets]
    assert bounds == sorted(set(bounds)) and bounds[-1] == math.inf, f"{name}: {bounds}"
    assert counts == sorted(counts), f"{name}: {counts}"
    assert counts[-1] == samples[f"{name}_count", ""], name
    assert samples[f"{name}_sum", ""] >= 0, name


# What may only grow has grown, between two texts.
def check_growth(before, now):
    (old, types), (new, _) = before, now
    for (name, labels), value in old.items():
        grows = name.endswith(("_total", "_bucket", "_count", "_sum"))
        assert not grows or new[name, labels] >= value, f"{name}{labels} went back"
