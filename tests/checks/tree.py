# SPDX-License-Identifier: Apache-2.0
# What the checks share: which files belong to the tree, what each one is, and how a fault is told.
#
# A check is a program that takes --root DIR, prints each fault as "path:line: what; what to do" and
# exits 1, or prints one line saying what it looked at and exits 0.
import argparse
import os
import subprocess
import sys
from pathlib import Path, PurePosixPath

# How a line comment begins, by the end of the file's name. A file without one of these names is a
# script if it begins with "#!", and otherwise data.
SLASH_SUFFIXES = (".cc", ".h", ".h.in", ".c", ".cpp", ".hpp", ".S", ".def", ".go", ".js", ".mjs",
                  ".java")
HASH_SUFFIXES = (".py", ".sh")
BUILD_NAMES = ("CMakeLists.txt", "Makefile", ".cmake", ".cmake.in")
CXX_SUFFIXES = (".cc", ".h", ".c", ".cpp", ".hpp")

# Not written by us but recorded: other hosts' files, and what the fuzzer found.
FIXTURE_SUFFIXES = (".host",)
FIXTURE_FOLDERS = ("corpus",)


class Tree:
    def __init__(self, root):
        self.root = Path(root).resolve()
        self.files = sorted(path for path in listed_by_git(self.root) or walked(self.root)
                            if (self.root / path).is_file())

    def text(self, path):
        return (self.root / path).read_bytes().decode("utf-8", errors="replace")

    def lines(self, path):
        return self.text(path).splitlines()

    # The marker of a line comment in a file that we wrote by hand; none for data and prose.
    def comment_marker(self, path):
        if is_fixture(path):
            return None
        if path.endswith(SLASH_SUFFIXES):
            return "//"
        if path.endswith(HASH_SUFFIXES + BUILD_NAMES):
            return "#"
        interpreter = self.interpreter(path)
        if interpreter is None:
            return None
        return "//" if "node" in interpreter else "#"

    # What stands behind "#!" in the first line, or none.
    def interpreter(self, path):
        with open(self.root / path, "rb") as file:
            first = file.readline(200)
        return first[2:].decode("utf-8", errors="replace").strip() if first[:2] == b"#!" else None

    # Programs and headers: everything with a comment marker but the build's own files.
    def sources(self):
        return [path for path in self.files
                if self.comment_marker(path) and not path.endswith(BUILD_NAMES)]

    def cxx_files(self):
        return [path for path in self.files
                if path.endswith(CXX_SUFFIXES) and not is_fixture(path)]


def is_fixture(path):
    return path.endswith(FIXTURE_SUFFIXES) or any(
        folder in FIXTURE_FOLDERS for folder in PurePosixPath(path).parts[:-1])


# Runs git in a tree, whatever repository the caller's environment names; none where it fails.
def git(root, *arguments):
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")}
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], env=environment,
                              capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return os.fsdecode(done.stdout)


# Files that git knows or would take with `git add`. None where the root is not a repository of its
# own: an unpacked release below somebody's repository must not be listed by that one.
def listed_by_git(root):
    if not (root / ".git").exists():
        return None
    output = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return None if output is None else {name for name in output.split("\0") if name}


# Files of a plain directory, without those that a build makes.
def walked(root):
    found = []
    for folder, subfolders, names in os.walk(root):
        here = Path(folder)
        subfolders[:] = [name for name in subfolders
                         if name not in (".git", "__pycache__")
                         and not (here == root and name == "build")
                         and not (here / name / "CMakeCache.txt").exists()]
        found += [(here / name).relative_to(root).as_posix() for name in names]
    return found


class Check:
    # Reads --root, and what else the check declares in add_arguments(parser).
    def __init__(self, description, add_arguments=lambda parser: None):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--root", metavar="DIR", default=Path(__file__).parents[2],
                            help="the tree to look at; by default the one this check is in")
        add_arguments(parser)
        self.arguments = parser.parse_args()
        self.tree = Tree(self.arguments.root)
        self.faults = 0

    def fault(self, path, line, what, what_to_do):
        print(f"{path}:{line}: {what}; {what_to_do}")
        self.faults += 1

    # Ends the program: 1 if there was a fault, else 0 with the summary.
    def finish(self, summary):
        if self.faults:
            sys.exit(1)
        print(summary)
        sys.exit(0)
