#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Mutants of product files: plants the bug that a .mutant file describes, and says if it was caught.
#
# A .mutant file, all of it:
#
#   # SPDX-License-Identifier: Apache-2.0
#   # One sentence saying what is planted.
#   file: os/spin_lock.h              (the product file, below src/)
#   test: model_spin_lock             (the weft_model_test() that has to catch it)
#   case: SpinLock.ExcludesAtRandom   (which of its cases; without this line, any)
#   --- product
#   whole lines that are in the product file exactly once
#   --- mutant
#   the lines that stand there instead
#   --- end
import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
# What a model::Outcome prints of a failure.
MODEL_FAILURE = re.compile(r"^.*schedule \d+ failed: .*$", re.MULTILINE)


class Mutant:
    def __init__(self, path):
        self.path = path
        sections = re.split(r"^--- (product|mutant|end)$\n?", path.read_text(), flags=re.MULTILINE)
        if sections[1::2] != ["product", "mutant", "end"]:
            refuse(path, "has not the parts '--- product', '--- mutant' and '--- end', in this order")
        head, self.old, self.new, rest = sections[0::2]
        self.file = self.value_of("file", head)
        self.test = self.value_of("test", head)
        self.case = self.value_of("case", head, default="*")
        if rest.strip():
            refuse(path, "goes on behind '--- end'")
        if not self.old.strip():
            refuse(path, "has nothing behind '--- product'")

    def value_of(self, name, head, default=None):
        found = re.findall(rf"^{name}: (\S+)$", head, flags=re.MULTILINE)
        if not found and default is not None:
            return default
        if len(found) != 1:
            refuse(self.path, f"needs one line '{name}: …' before '--- product'")
        return found[0]


def refuse(path, what):
    sys.exit(f"{path}: {what}; see tests/model/mutate.py")


# How the product includes a file: variants stand in folders of their own, as in
# os/waiting/model/os/futex.h, which is "os/futex.h".
def included_as(file):
    module = file.split("/")[0]
    return f"{module}/{f'/{file}'.rpartition(f'/{module}/')[2]}"


# Writes the mutated copy of the product file below a folder that then comes first when includes are
# looked for.
def plant(mutant, source, into):
    product = source / mutant.file
    if not product.is_file():
        refuse(mutant.path, f"names {product}, which is not there")
    text = product.read_text()
    count = text.count(mutant.old)
    if count != 1:
        refuse(mutant.path, f"what is behind '--- product' is {count} times in {product}, "
               "and has to be there once: write it anew, as the product is now")
    shutil.rmtree(into, ignore_errors=True)
    mutated = into / included_as(mutant.file)
    mutated.parent.mkdir(parents=True)
    mutated.write_text(text.replace(mutant.old, mutant.new))


# Prints which source files of these modules see the mutated file, however indirectly.
def print_affected(mutant, source, modules):
    module = mutant.file.split("/")[0]
    if module not in modules:
        refuse(mutant.path, f"{mutant.file} is of the module {module}, but {mutant.test} is made of "
               f"{', '.join(modules) or 'none'}: add it to MODULES in tests/model/CMakeLists.txt")
    includes = {}
    for module in modules:
        for path in (source / module).rglob("*"):
            if path.suffix in (".h", ".cc") and not path.name.endswith("_test.cc"):
                file = path.relative_to(source).as_posix()
                includes[file] = set(INCLUDE.findall(path.read_text()))
    affected = {mutant.file}
    while True:
        names = set(map(included_as, affected))
        more = {file for file, included in includes.items() if included & names} - affected
        if not more:
            break
        affected |= more
    print(";".join(sorted(file for file in affected if file.endswith(".cc"))), end="")


# Runs the mutated program, always with all of its schedules. A crash, a time-out and a test that fails on
# its own catch nothing.
def expect_caught(mutant, program, seconds):
    environment = {name: value for name, value in os.environ.items() if name != "WEFT_MODEL_PERCENT"}
    try:
        run = subprocess.run([program, "--gtest_fail_fast", "--gtest_brief=1",
                              f"--gtest_filter={mutant.case}"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds,
                             encoding="utf-8", errors="replace", check=False, env=environment)
    except subprocess.TimeoutExpired:
        sys.exit(f"{mutant.path}: not caught: {program} is not done after {seconds} s")
    failure = MODEL_FAILURE.search(run.stdout)
    if run.returncode != 1 or not failure:
        how = {0: "all its tests pass", 1: "a test fails, but no schedule of the model checker"}
        sys.exit(f"{run.stdout}\n{mutant.path}: not caught: {program} ends with "
                 f"{run.returncode}, {how.get(run.returncode, 'as in a crash')}")
    print(f"caught: {failure[0].strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("plant", "affected", "expect-caught"):
        command = commands.add_parser(name)
        command.add_argument("mutant", type=Path)
        if name == "expect-caught":
            command.add_argument("program")
            command.add_argument("--seconds", type=float, default=100)
            continue
        command.add_argument("--source", type=Path, required=True, help="the folder src/")
        if name == "plant":
            command.add_argument("--into", type=Path, required=True)
        else:
            command.add_argument("--modules", nargs="*", default=[])
    arguments = parser.parse_args()
    mutant = Mutant(arguments.mutant)
    if arguments.command == "plant":
        plant(mutant, arguments.source, arguments.into)
    elif arguments.command == "affected":
        print_affected(mutant, arguments.source, arguments.modules)
    else:
        expect_caught(mutant, arguments.program, arguments.seconds)


if __name__ == "__main__":
    main()
