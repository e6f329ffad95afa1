# SPDX-License-Identifier: Apache-2.0
# pigz with threads: the same bytes.
from compressors import rows_for
from harness import version_of

TITLE = "pigz"
NEEDS = {"pigz": "pigz"}


def version():
    return version_of(["pigz", "--version"], r"pigz (\S+)")


def rows(folder, short):
    commands = [["pigz", "-n", "-p", "2", "-c"], ["pigz", "-n", "-p", "16", "-c"]]
    return rows_for(folder, short, commands, ["pigz", "-dc"], copies=2)
