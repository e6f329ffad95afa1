#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks the check of the manual, with a program that says what the test wants.
import unittest

from good_tree import CheckTest

# What `weft` says in the good tree of the check that runs it, and what its manual says.
HELP = """Usage: weft [OPTIONS] COMMAND

Options:
  -h,--help                   Print this help
  --version                   Print the version

Commands:
  budget                      What we own
                              and --who says so
"""
HELP_BUDGET = """Usage: weft budget [OPTIONS]
Options:
  --json                      For programs
  -p,--process INT            Another process
"""
JSON = '{"cpu": {"cores": 1.5, "candidates": [{"verdict": "chosen"}]}}'
MANUAL = {
    "docs/man/weft.1": r""".TH WEFT 1
.SH NAME
weft \- threads
.SH COMMANDS
.TP
.BR "weft budget"
What we own.
.SH OPTIONS
.TP
.BR \-h ", " \-\-help
Print this help.
.TP
.B \-\-version
Print the version.
""",
    "docs/man/weft-budget.1": r""".TH WEFT-BUDGET 1
.SH SYNOPSIS
.B weft budget
[\fB\-\-json\fR] [\fB\-p\fR|\fB\-\-process\fR \fIPID\fR]
.SH OPTIONS
.TP
.B \-\-json
For programs: \fBcpu\fR holds \fBcores\fR.
""",
    "docs/budget.md": """# Budget
| key | meaning |
|---|---|
| candidates | all |

And `verdict`.
""",
}


class Documented(CheckTest):
    def setUp(self):
        super().setUp()
        self.write(MANUAL)
        self.weft = self.root.parent / "weft"
        self.program()

    def program(self, help_text=HELP, help_budget=HELP_BUDGET, json=JSON):
        self.weft.write_text(f"""#!/bin/sh
case "$*" in
  help) echo '{help_text}' ;;
  "help budget") echo '{help_budget}' ;;
  "budget --json") echo '{json}' ;;
  *) echo "no $*" >&2; exit 2 ;;
esac
""")
        self.weft.chmod(0o755)

    def finds_one(self, place, *words):
        self.finds("documented", place, *words, arguments=[self.weft])

    def test_passes(self):
        self.passes("documented", self.weft)

    def test_finds_an_option_that_is_not_in_the_manual(self):
        self.program(help_budget=HELP_BUDGET + "  -q, --quiet TEXT:FILE Less than --this\n")
        self.write({"docs/man/weft-budget.1": MANUAL["docs/man/weft-budget.1"] + ".B \\-q\n"})
        self.finds_one("docs/man/weft-budget.1:1", "--quiet of `weft help budget`")

    def test_finds_an_option_that_is_not_in_the_program(self):
        self.program(help_budget=HELP_BUDGET.replace("  --json ", "  --text "))
        self.write({"docs/budget.md": MANUAL["docs/budget.md"] + "`--text`\n"})
        done = self.run_check("documented", self.weft)
        self.assertIn("docs/man/weft-budget.1:4: there is no option --json", done.stdout)
        self.assertIn("docs/man/weft-budget.1:1: --text of `weft help budget`", done.stdout)

    def test_finds_a_command_that_is_not_in_the_manual(self):
        self.program(help_text=HELP + "  help                        This\n",
                     help_budget=HELP_BUDGET + '\' ;; "help help") echo \'')
        self.finds_one("docs/man/weft.1:1", "'help'")

    def test_finds_a_page_without_a_command(self):
        self.write({"docs/man/weft-run.1": ".TH WEFT-RUN 1\n"})
        self.finds_one("docs/man/weft-run.1:1", "'run'")

    def test_finds_a_command_of_the_manual_that_is_not_in_the_program(self):
        commands = ".SH COMMANDS\n.TP\n.B run\nRuns.\n"
        self.write({"docs/man/weft.1": MANUAL["docs/man/weft.1"] + commands})
        self.finds_one("docs/man/weft.1:17", "'run'")

    def test_finds_a_key_that_is_only_in_the_prose(self):
        self.program(json='{"cpu": {"cores": 1, "candidates": [{"meaning": 1, "all": 2}]}}')
        done = self.run_check("documented", self.weft)
        self.assertIn("'all' (cpu.candidates[].all)", done.stdout)

    def test_finds_what_troff_warns_about(self):
        self.write({"docs/man/weft.1": MANUAL["docs/man/weft.1"] + ".XX\n"})
        self.finds_one("docs/man/weft.1:15", "XX")

    def test_says_why_the_program_failed(self):
        self.weft.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
        self.finds_one(f"{self.weft}:1", "exits 3", "broken")


if __name__ == "__main__":
    unittest.main()
