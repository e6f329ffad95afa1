# SPDX-License-Identifier: Apache-2.0
# What the tests of the checks share: a small good tree, and how a check is run on it.
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
LICENCE = "SPDX-License-Identifier: Apache-2.0"
MODULE_FOLDERS = {"base": "", "arch": "DEPENDS base", "os": "DEPENDS base arch",
                  "budget": "INSTALL DEPENDS os LINK Threads"}

# The good tree. It is what a check may look at, and each test changes one thing in it.
GOOD = {
    ".clang-format": "BasedOnStyle: Google\n",
    "LICENSE": "the licence\n",
    "README.md": """# Weft
See [the design](docs/design.md#how-it-works-resultt), [below](#two-words),
[it](src/base/text.h#L2), the [folder](docs), [again](docs/design.md#again-1) and
[the web](https://example.com/none).

## Two words
Not a link: `[x](nowhere)`.
```
[x](nowhere either)
```
[defined]: docs/design.md
""",
    "docs/design.md": "# How it works: `Result<T>`\n## Again\n## Again\n[up](../README.md)\n",
    "include/weft/budget.h": f"""// {LICENCE}
// A public header.
#pragma once

#include <sys/types.h>

#include <string>

inline std::string name(pid_t) {{ return {{}}; }}
""",
    "src/base/text.h": f"// {LICENCE}\n// Text.\n#pragma once\n",
    "src/os/file.cc": f"""// {LICENCE}
// Files.
#include <fcntl.h>

#include "base/text.h"
""",
    "src/budget/read.cc": f"""// {LICENCE}
// Reads.
#include <weft/budget.h>

#include "base/text.h"
""",
    "tools/weft/main.cc": f"""// {LICENCE}
// The program.
#include "base/text.h"
#include "own.h"
""",
    "tools/weft/own.h": f"// {LICENCE}\n// The program's own.\n#pragma once\n",
    "examples/hello.cc": f"// {LICENCE}\n// An example.\n#include <weft/budget.h>\n",
    "tests/hosts/strange.host": "recorded, not written\n",
    "tests/fuzz/corpus/seed.c": "found, not written\n",
    "scripts/greet": f"#!/bin/sh\n# {LICENCE}\n# Greets.\necho hello\n",
    **{f"src/{module}/CMakeLists.txt": f"# {LICENCE}\n# A module.\nweft_module({module} {words})\n"
       for module, words in MODULE_FOLDERS.items()},
}


class CheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="weft-selftest-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve() / "tree"
        self.write(GOOD)

    def write(self, files):
        for path, text in files.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def run_check(self, name, *arguments, environment=None):
        return subprocess.run([sys.executable, "-B", HERE / f"{name}.py", "--root", self.root,
                               *arguments], capture_output=True, text=True, timeout=60,
                              env=environment)

    def passes(self, name, *arguments):
        done = self.run_check(name, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1, done.stdout)

    # The check fails, with exactly one fault: at this place, and with these words in it.
    def finds(self, name, place, *words, arguments=(), environment=None):
        done = self.run_check(name, *arguments, environment=environment)
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 1, said)
        faults = [line for line in said.splitlines() if not line.startswith("note: ")]
        self.assertEqual(len(faults), 1, said)
        self.assertTrue(faults[0].startswith(f"{place}: "), said)
        self.assertIn("; ", faults[0])
        for word in words:
            self.assertIn(word, faults[0])

    # Writes a file of the good tree with something behind its end.
    def append(self, path, text):
        self.write({path: GOOD.get(path, "") + text})

    def git(self, *arguments):
        subprocess.run(["git", "-C", self.root, "-c", "user.name=nobody", "-c",
                        "user.email=nobody@example.com", *arguments], check=True)
