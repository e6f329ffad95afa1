# SPDX-License-Identifier: Apache-2.0
# zstd with threads: the same bytes.
from compressors import rows_for
from harness import version_of

TITLE = "zstd"
NEEDS = {"zstd": "zstd"}


def version():
    return version_of(["zstd", "--version"], r"v([\d.]+)")


def rows(folder, short):
    commands = [["zstd", "-T2", "-6", "-c"], ["zstd", "-T16", "-3", "-c"]]
    return rows_for(folder, short, commands, ["zstd", "-dc"], copies=4)
