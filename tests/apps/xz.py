# SPDX-License-Identifier: Apache-2.0
# xz with threads: the same bytes.
from compressors import rows_for
from harness import version_of

TITLE = "xz"
NEEDS = {"xz": "xz-utils"}


def version():
    return version_of(["xz", "--version"], r"xz \(XZ Utils\) (\S+)")


def rows(folder, short):
    commands = [["xz", "-T2", "-1", "--block-size=1MiB", "-c"],
                ["xz", "-T8", "-0", "--block-size=512KiB", "-c"]]
    return rows_for(folder, short, commands, ["xz", "-T2", "-dc"], words=2_000_000)
