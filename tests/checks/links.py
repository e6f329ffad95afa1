#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks that every relative link in a Markdown file leads somewhere: to a file, and to a heading.
import posixpath
import re
from urllib.parse import unquote

from tree import Check

FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)")
# A target in angle brackets, or one with balanced parentheses.
TARGET = r"(?:<(?P<angled>[^<>]*)>|(?P<plain>(?:[^\s()<>]|\([^\s()]*\))+))"
LINKS = (
    re.compile(r"\]\(\s*" + TARGET + r"(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"),
    re.compile(r"^ {0,3}\[[^\]^][^\]]*\]:\s*" + TARGET),
    re.compile(r"<(?:a|img)\s[^>]*?(?:href|src)=\"(?P<plain>[^\"]*)\"(?P<angled>)"),
)
SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")
ATX_HEADING = re.compile(r"^ {0,3}#{1,6}(?:[ \t]+(?P<text>.*?))?(?:[ \t]+#+)?[ \t]*$")
SETEXT_UNDERLINE = re.compile(r"^ {0,3}(?:=+|-+)[ \t]*$")
NAMED = re.compile(r"<\w+\s[^>]*?\b(?:id|name)=\"([^\"]+)\"")
LINE_ANCHOR = re.compile(r"^L(\d+)(?:C\d+)?(?:-L(\d+)(?:C\d+)?)?$")


# (number, line) of the lines outside of fenced code.
def prose(lines):
    fence = None
    for number, line in enumerate(lines, 1):
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark["fence"]
        elif fence is None:
            yield number, line
        elif line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = None


# The anchor that GitHub makes of a heading: the words as they are shown, in small letters, without
# punctuation, joined by hyphens.
def slug(heading):
    shown = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", heading)
    # Between backticks nothing is markup: `Result<T>` is shown as it stands.
    pieces = re.split(r"(`[^`]*`)", shown)
    for index in range(0, len(pieces), 2):
        pieces[index] = re.sub(r"<[^>]+>", "", pieces[index])
        pieces[index] = re.sub(r"(?<!\w)(_{1,2})(?=\S)(.+?)(?<=\S)\1(?!\w)", r"\2", pieces[index])
    return re.sub(r"[^\w\- ]", "", "".join(pieces).strip().lower()).replace(" ", "-")


# Every anchor of a Markdown text; the second of two equal headings gets "-1", and so on.
def anchors(lines):
    found, seen, previous = set(), {}, ""
    for _, line in prose(lines):
        found.update(NAMED.findall(line))
        heading = ATX_HEADING.match(line)
        if heading:
            text = heading["text"] or ""
        elif SETEXT_UNDERLINE.match(line) and previous.strip() and not previous.startswith("|"):
            text = previous
        else:
            previous = line
            continue
        previous = ""
        base = slug(text)
        count = seen.get(base, 0)
        seen[base] = count + 1
        found.add(f"{base}-{count}" if count else base)
    return found


class Targets:
    def __init__(self, tree):
        self.tree = tree
        self.files = set(tree.files)
        self.folders = {""}
        for path in tree.files:
            while path := posixpath.dirname(path):
                self.folders.add(path)
        self.anchors = {}

    # What is wrong with a link in a file and what to do, or none.
    def wrong(self, path, target):
        if target.startswith("/") and not target.startswith("//") or target.startswith("file:"):
            return f"'{target}' is an absolute path", "link relative to this file"
        if SCHEME.match(target) or target.startswith("//"):
            return None
        name, _, anchor = target.partition("#")
        name, anchor = unquote(name.partition("?")[0]), unquote(anchor)
        where = posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) if name else path
        where = "" if where == "." else where
        if where.startswith(".."):
            return f"'{target}' leads out of the tree", "link to what is in the tree"
        if where not in self.files and where not in self.folders:
            return f"'{target}' leads nowhere, there is no {where}", "correct the link or remove it"
        return self.wrong_anchor(where, anchor, target) if anchor else None

    def wrong_anchor(self, where, anchor, target):
        if where.endswith(".md"):
            if where not in self.anchors:
                self.anchors[where] = anchors(self.tree.lines(where))
            if anchor not in self.anchors[where]:
                return (f"'{target}' leads to no heading of {where}",
                        f"use one of: {', '.join(sorted(self.anchors[where])) or 'none there'}")
        lines = LINE_ANCHOR.match(anchor)
        if lines and where in self.files and not where.endswith(".md"):
            length = len(self.tree.lines(where))
            if max(int(number) for number in lines.groups() if number) > length:
                return f"'{target}' is behind the end, {where} has {length} lines", "correct it"
        return None


def main():
    check = Check("No relative link in a Markdown file is dead.")
    targets = Targets(check.tree)
    pages = [path for path in check.tree.files if path.endswith(".md")]
    links = 0
    for path in pages:
        for number, line in prose(check.tree.lines(path)):
            shown = CODE_SPAN.sub("`code`", line)
            for pattern in LINKS:
                for link in pattern.finditer(shown):
                    links += 1
                    wrong = targets.wrong(path, link["angled"] or link["plain"] or "")
                    if wrong:
                        check.fault(path, number, *wrong)
    check.finish(f"links: {links} links of {len(pages)} pages lead somewhere")


if __name__ == "__main__":
    main()
