#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes docs/compatibility.md from the report of run_apps.py.
#
#   write_compatibility.py REPORT.json... [--output FILE]
import argparse
import json
from pathlib import Path

HEAD = """# What runs under weft

Written by [tests/apps/write_compatibility.py](../tests/apps/write_compatibility.py) from the report
of `make test-apps`: unmodified programs of Debian, each natively and under `weft run`, in turns.
*Same*: the results, bytes and verdicts are those of the native run. The speed is weft's to native's:
the median over the rounds, and the lowest and highest; with one worker both have one CPU (and a client
the other), with two both have two. *CPU* is the work for the same CPU time, to native's: other
programs on the machine change it less.
A bar is what we hold ourselves to; a missed one is shown.
*Runs* says how many pairs of runs a row stands on, and *short* that only the results were compared,
of short loads; *load* is the load average of the machine at the end of the row.

| program | version | what was run | native | workers | weft | speed | bar | CPU | runs | load |
|---|---|---|---|---|---|---|---|---|---|---|
"""


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def times(ratio):
    return "" if ratio is None else "{:.2f}x ({:.2f} to {:.2f})".format(*ratio)


def bar_of(told):
    return (told["speed"] or "").replace("missed", "**missed**")


# A long reason stays in the report; the table has its first words.
def verdict(text):
    return "same" if text == "ok" else f"**{text[:60]}**"


def runs_of(told):
    return f"{told['runs']}, short" if told["short"] else told["runs"]


def line_of(told):
    if "skipped" in told:
        return f"| {told['program']} | | {cell(told['skipped'])} | | | | | | | | |"
    native = "ok" if told["native"] == "ok" else f"**{told['native'][:60]}**"
    cells = (told["program"], told["version"], told["row"], native, told["workers"],
             verdict(told["weft"]), times(told["ratio"]), bar_of(told), times(told["cpu_ratio"]),
             runs_of(told), told["load"])
    return "| " + " | ".join(cell(text) for text in cells) + " |"


def main():
    parser = argparse.ArgumentParser(description="Writes docs/compatibility.md from reports.")
    parser.add_argument("reports", metavar="REPORT.json", type=Path, nargs="+")
    parser.add_argument("--output", metavar="FILE", type=Path,
                        default=Path(__file__).resolve().parents[2] / "docs/compatibility.md")
    options = parser.parse_args()
    report = [told for path in options.reports for told in json.loads(path.read_text())]
    options.output.write_text(HEAD + "\n".join(line_of(told) for told in report) + "\n")
    print(f"{options.output}: {len(report)} rows")


if __name__ == "__main__":
    main()
