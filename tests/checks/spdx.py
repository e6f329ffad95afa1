#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks that each file we wrote opens with its licence and a sentence saying what it is.
import re

from tree import Check

LICENCE = "SPDX-License-Identifier: Apache-2.0"
SENTENCE_END = re.compile(r"[.!?:][)\"'`]?(\s|$)")


# The first paragraph of the comment that begins at lines[first], as one text.
def paragraph(lines, first, marker):
    text = []
    for line in lines[first:]:
        words = line.removeprefix(marker).strip()
        if not line.startswith(marker) or not words:
            break
        text.append(words)
    return " ".join(text)


def main():
    check = Check("Each file opens with its SPDX line and one sentence saying what it is.")
    looked_at = 0
    for path in check.tree.files:
        marker = check.tree.comment_marker(path)
        if marker is None:
            continue
        looked_at += 1
        lines = check.tree.lines(path)
        first = 1 if lines and lines[0].startswith("#!") else 0
        if lines[first:first + 1] != [f"{marker} {LICENCE}"]:
            check.fault(path, first + 1, "the SPDX line is not here",
                        f"write '{marker} {LICENCE}'")
            continue
        description = paragraph(lines, first + 1, marker)
        if not description:
            check.fault(path, first + 2, "nothing says what this file is",
                        f"write one sentence as '{marker} …' right behind the SPDX line")
        elif not SENTENCE_END.search(description):
            check.fault(path, first + 2, "what says what this file is does not end as a sentence",
                        "write one sentence with a full stop")
    check.finish(f"spdx: {looked_at} files open with their licence and what they are")


if __name__ == "__main__":
    main()
