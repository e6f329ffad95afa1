#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks that the man pages and `weft help` agree, and describe each key of `weft budget --json`.
#
# An option counts as documented where the man page of its command holds it; one of the man page
# must be an option if it stands in the SYNOPSIS or as the tag of a paragraph (.TP, .IP). A key of
# the JSON counts as described where it is set off from the prose: in bold, italics or an example of
# the man page, or in a code span, a code block or the first column of a table of budget.md.
import json
import os
import re
import shutil
import subprocess
import sys

from tree import Check

MANUAL = "docs/man"
TOP_PAGE = f"{MANUAL}/weft.1"
JSON_COMMAND = ["budget", "--json"]
JSON_PAGES = (f"{MANUAL}/weft-budget.1", "docs/budget.md")

OPTION = re.compile(r"(?<![\w-])(--?[A-Za-z][A-Za-z0-9-]*)")
# "-p,--process", as a line of a help text begins with it; what follows is its value and meaning.
OPTION_NAMES = re.compile(OPTION.pattern + r"(?:\{[^}]*\})?(?:\s*,\s*" + OPTION.pattern + ")*")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
ROFF_ESCAPES = ((r"\-", "-"), (r"\(aq", "'"), (r"\(dq", '"'), (r"\~", " "), (r"\ ", " "),
                (r"\&", ""), (r"\e", "\\"), (r"\(en", "-"))
FONT_MACROS = (".B", ".BR", ".BI", ".I", ".IR", ".IB", ".RB", ".RI")
ROFF_FONT = re.compile(r"\\f(?:\[[^\]]*\]|\(..|.)")


class Program:
    def __init__(self, path):
        self.path = path

    # What the program prints; where it fails, everything ends here.
    def output(self, arguments):
        shown = " ".join(["weft", *arguments])
        try:
            done = subprocess.run([self.path, *arguments], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=30)
        except (OSError, subprocess.TimeoutExpired) as error:
            sys.exit(f"{self.path}:1: cannot run '{shown}': {error}; build the target weft")
        if done.returncode != 0:
            sys.exit(f"{self.path}:1: '{shown}' exits {done.returncode} and says "
                     f"'{done.stderr.strip()}'; the check needs its output")
        return done.stdout

    # The names below "Commands:" or "Subcommands:", and the options, of a help text.
    def help(self, *command):
        commands, options, below_commands = set(), set(), False
        for line in self.output(["help", *command]).splitlines():
            if line and not line[0].isspace():
                below_commands = line.strip().lower() in ("commands:", "subcommands:")
            entry = re.match(r"^  (?! {6})\s*(\S.*)$", line)
            if entry is None:
                continue
            names = OPTION_NAMES.match(entry[1])
            if names:
                options.update(OPTION.findall(names[0]))
            elif below_commands:
                commands.add(entry[1].split()[0])
        return commands, options


class ManPage:
    def __init__(self, tree, path):
        self.path = path
        self.options = {}      # everywhere: option -> line
        self.promised = {}     # in the synopsis or as a tag: option -> line
        self.commands = {}     # tags of the section COMMANDS: name -> line
        self.names = set()     # words that are set off from the prose
        section, tag_follows, in_example = "", False, False
        for number, line in enumerate(tree.lines(path), 1):
            if line.startswith((".\\\"", "'\\\"")):
                continue
            macro = line.split()[0] if line.startswith(".") and line.strip(". ") else ""
            text = plain(line.removeprefix(macro))
            if macro == ".SH":
                section = text.strip().strip('"').upper()
            in_example = (in_example or macro in (".EX", ".nf")) and macro not in (".EE", ".fi")
            is_tag = macro == ".IP" or tag_follows and macro not in (".TP", ".TQ")
            tag_follows = macro in (".TP", ".TQ")
            for option in OPTION.findall(text):
                self.options.setdefault(option, number)
                if is_tag or section == "SYNOPSIS":
                    self.promised.setdefault(option, number)
            if is_tag and section in ("COMMANDS", "SUBCOMMANDS"):
                words = [word for word in text.replace('"', "").split() if word != "weft"]
                if words and not words[0].startswith("-"):
                    self.commands.setdefault(words[0].removeprefix("weft-").split("(")[0], number)
            if in_example or is_tag or macro in FONT_MACROS:
                self.names.update(NAME.findall(text))
            for marked in re.findall(r"\\f(?:[BI]|\[[A-Z]+\]|\(C.)(.*?)(?:\\f|$)", line):
                self.names.update(NAME.findall(plain(marked)))


# A line of a man page without its font changes and escapes.
def plain(text):
    text = ROFF_FONT.sub("", text)
    for escape, character in ROFF_ESCAPES:
        text = text.replace(escape, character)
    return text


# The words of a Markdown page that stand in code, or in the first column of a table.
def markdown_names(lines):
    names, in_code = set(), False
    for line in lines:
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        elif in_code:
            names.update(NAME.findall(line))
        else:
            for marked in re.findall(r"`([^`]+)`", line) + re.findall(r"^\|([^|]*)\|", line):
                names.update(NAME.findall(marked))
    return names


# Every key of a JSON value, at any depth, with the first place it has.
def keys(value, place=""):
    found = {}
    if isinstance(value, dict):
        for key, inner in value.items():
            found.setdefault(key, f"{place}.{key}".lstrip("."))
            found = {**keys(inner, f"{place}.{key}"), **found}
    elif isinstance(value, list):
        for inner in value:
            found = {**keys(inner, f"{place}[]"), **found}
    return found


# Commands: each has a place in weft.1 and its options in its own page, or in weft.1.
def check_manual(check, program):
    pages = {path: ManPage(check.tree, path) for path in check.tree.files
             if path.startswith(f"{MANUAL}/") and path.endswith(".1")}
    if TOP_PAGE not in pages:
        check.fault(TOP_PAGE, 1, "is not there", "write the man page of the command line")
        return 0, 0
    commands, options = program.help()
    everything = dict.fromkeys(options, "weft")
    expected = {TOP_PAGE: set(options)}
    for command in sorted(commands):
        own = f"{MANUAL}/weft-{command}.1"
        page = own if own in pages else TOP_PAGE
        of_command = program.help(command)[1]
        expected.setdefault(page, set()).update(of_command)
        everything.update(dict.fromkeys(of_command, f"weft {command}"))
        if command not in pages[TOP_PAGE].commands:
            check.fault(TOP_PAGE, 1, f"the command '{command}' of `weft help` is not documented",
                        "add it as a .TP to the section COMMANDS")
        for option in sorted(of_command - set(pages[page].options)):
            # What every command has need not be repeated on every page.
            if not (option in options and option in pages[TOP_PAGE].options):
                check.fault(page, 1, f"{option} of `weft help {command}` is not documented",
                            "add it as a .TP to the section OPTIONS")
    for option in sorted(options - set(pages[TOP_PAGE].options)):
        check.fault(TOP_PAGE, 1, f"{option} of `weft help` is not documented",
                    "add it as a .TP to the section OPTIONS")

    for command, line in sorted(pages[TOP_PAGE].commands.items()):
        if command not in commands:
            check.fault(TOP_PAGE, line, f"there is no command '{command}' in `weft help`",
                        "remove it here, or add it to the program")
    for path, page in sorted(pages.items()):
        command = path.removeprefix(f"{MANUAL}/").removesuffix(".1").removeprefix("weft-")
        if path != TOP_PAGE and command not in commands:
            check.fault(path, 1, f"there is no command '{command}' in `weft help`",
                        "remove the page, or add the command to the program")
            continue
        real = expected.get(path, set()) | options
        for option, line in sorted(page.promised.items()):
            if option not in (everything if path == TOP_PAGE else real):
                check.fault(path, line, f"there is no option {option} in the program's help",
                            "remove it here, or add it to the program")
    check_formatted(check, pages)
    return len(commands), len(everything)


# What troff warns about: a macro that does not exist, a font that is not there.
def check_formatted(check, pages):
    if shutil.which("groff") is None:
        sys.exit("scripts/deps:1: groff is not installed; run scripts/deps test")
    for path in sorted(pages):
        done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", path], cwd=check.tree.root,
                              capture_output=True, text=True, errors="replace",
                              env={**os.environ, "LC_ALL": "C.UTF-8"})
        for warning in re.finditer(r"^\S+?: ?(.+?):(\d+): (.*)$", done.stderr, re.MULTILINE):
            check.fault(warning[1], warning[2], f"troff says: {warning[3]}", "correct the page")


def check_json(check, program):
    described = set()
    for path in JSON_PAGES:
        if path in check.tree.files:
            described |= (ManPage(check.tree, path).names if path.endswith(".1")
                          else markdown_names(check.tree.lines(path)))
    output = program.output(JSON_COMMAND)
    try:
        found = keys(json.loads(output))
    except ValueError as error:
        sys.exit(f"{program.path}:1: 'weft {' '.join(JSON_COMMAND)}' prints no JSON: {error}; "
                 "correct the program")
    for key, place in sorted(found.items()):
        if key not in described:
            check.fault(JSON_PAGES[0], 1, f"the key '{key}' ({place}) of `weft "
                        f"{' '.join(JSON_COMMAND)}` is not described",
                        f"say what it means there or in {JSON_PAGES[1]}, in bold or as code")
    return len(found)


def main():
    check = Check("The manual and the command line agree.",
                  lambda parser: parser.add_argument("weft", help="the program that was built"))
    program = Program(check.arguments.weft)
    commands, options = check_manual(check, program)
    found = check_json(check, program)
    check.finish(f"documented: {commands} commands, {options} options and {found} keys of the JSON")


if __name__ == "__main__":
    main()
