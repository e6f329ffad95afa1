#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What mutate.py plants, refuses to plant, and takes for caught.
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MUTATE = Path(__file__).with_name("mutate.py")
MUTANT = """# SPDX-License-Identifier: Apache-2.0
# One is two.
file: {file}
test: model_numbers
--- product
{product}
--- mutant
int one = 2;
--- end
"""


class MutateTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.source = self.folder / "src"
        self.into = self.folder / "mutants"
        self.write("src/numbers/one.h", "int zero = 0;\nint one = 1;\nint uno = 1;\n")

    def write(self, path, text):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def mutate(self, command, *arguments, product="int one = 1;", file="numbers/one.h"):
        mutant = self.write("one.mutant", MUTANT.format(file=file, product=product))
        return subprocess.run([sys.executable, "-B", MUTATE, command, mutant, *arguments],
                              capture_output=True, text=True, check=False)

    def plant(self, **changes):
        return self.mutate("plant", "--source", self.source, "--into", self.into, **changes)

    def test_plants_what_is_there_once(self):
        self.write("mutants/numbers/old.h", "of an earlier mutant")
        self.assertEqual(self.plant().returncode, 0)
        self.assertEqual([path.name for path in self.into.rglob("*.h")], ["one.h"])
        self.assertEqual((self.into / "numbers/one.h").read_text(),
                         "int zero = 0;\nint one = 2;\nint uno = 1;\n")

    def test_plants_a_variant_where_it_is_included(self):
        self.write("src/numbers/roman/numbers/one.h", "int one = 1;\n")
        self.assertEqual(self.plant(file="numbers/roman/numbers/one.h").returncode, 0)
        self.assertEqual((self.into / "numbers/one.h").read_text(), "int one = 2;\n")

    def test_refuses_what_is_not_there_once(self):
        for product, says in (("int six = 6;", "is 0 times in"), ("int ", "is 0 times in"),
                              ("int one = 1;\n--- end", "in this order"), ("", "has nothing")):
            run = self.plant(product=product)
            self.assertEqual(run.returncode, 1, product)
            self.assertIn(says, run.stderr)
        self.write("src/numbers/one.h", "int one = 1;\nint one = 1;\n")
        self.assertIn("is 2 times in", self.plant().stderr)
        self.assertIn("not there", self.plant(file="numbers/gone.h").stderr)

    def test_names_the_sources_that_see_the_file(self):
        self.write("src/numbers/two.h", '#include "numbers/one.h"\n')
        self.write("src/numbers/two.cc", '#include "numbers/two.h"\n')
        self.write("src/numbers/two_test.cc", '#include "numbers/two.h"\n')
        self.write("src/numbers/other.cc", "#include <vector>\n")
        self.write("src/sums/sum.cc", '#include "numbers/two.h"\n')

        def affected(*modules, **changes):
            return self.mutate("affected", "--source", self.source, "--modules", *modules, **changes)
        self.assertEqual(affected("numbers", "sums").stdout, "numbers/two.cc;sums/sum.cc")
        self.assertEqual(affected("numbers").stdout, "numbers/two.cc")
        self.assertEqual(affected("numbers", file="numbers/other.cc").stdout, "numbers/other.cc")
        self.assertIn("add it to MODULES", affected("sums").stderr)

    def test_only_a_failed_schedule_is_a_catch(self):
        failed = "echo 'schedule 7 failed: thread 1: two is one'"
        for script, says in ((f"{failed}; exit 1", None), ("exit 0", "all its tests pass"),
                             ("exit 1", "no schedule of the model checker"),
                             (f"{failed}; kill -SEGV $$", "as in a crash"),
                             (f"{failed}; exit 0", "all its tests pass"),
                             ("exec sleep 60", "is not done after")):
            program = self.write("program", f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            run = self.mutate("expect-caught", program, "--seconds", "0.5")
            self.assertEqual(run.returncode, 1 if says else 0, script)
            self.assertIn(says or "caught: schedule 7 failed", run.stderr + run.stdout)


if __name__ == "__main__":
    unittest.main()
