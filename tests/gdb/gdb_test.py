#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Fibers that are parked, running and at home have their stacks in gdb: live, and in a core file.
#
#   gdb_test.py GDB tools/gdb/weft.py PROGRAM
import os
import re
import subprocess
import sys
import tempfile
import unittest

GDB, SCRIPT, PROGRAM = sys.argv[1:4]
SKIPPED = 77
MARK = "----8<----"
THREAD_NUMBERS = {"100", "101", "102"}  # of those that are parked, in their thread-local variable


def gdb(*commands, target):
    """Answers what each command has printed. One gdb for all: it takes a second to start."""
    words = [GDB, "--batch", "-nx", "-iex", "set debuginfod enabled off", *target,
             "-ex", f"source {SCRIPT}"]
    for command in commands:
        words += ["-ex", f"echo {MARK}\\n", "-ex", command]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=100, check=False)
    answers = done.stdout.split(f"{MARK}\n")[1:]
    assert len(answers) == len(commands), done.stdout
    return answers


class Program:
    def __enter__(self):
        self.process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == b"ready\n"
        return self

    def __exit__(self, *_):
        self.process.communicate(timeout=30)
        assert self.process.returncode == 0, "the program did not survive being looked at"

    def target(self):
        return ["-p", str(self.process.pid)]


class Stacks:
    """What holds of a live process and of a core file."""

    @classmethod
    def look(cls, target):
        listed, cls.gate, before, everything, after = gdb(
            "weft fibers", "print &gate", "bt", "weft bt all", "bt", target=target)
        cls.listed, cls.everything = listed, everything
        cls.stacks_of_main = (before, after)
        cls.parked = re.findall(r"^(\d+) +parked  .*wait_at_the_gate$", listed, re.MULTILINE)
        single = [f"weft bt {fiber}" for fiber in cls.parked]
        current = [command for fiber in cls.parked
                   for command in (f"weft fiber {fiber}", "print number_of_thread", "bt")]
        wrong = ["weft bt 1", "weft bt x", "weft bt"]
        answers = gdb(*single, *current, "weft fiber none", *wrong, target=target)
        cls.single = answers[:len(single)]
        cls.current = answers[len(single):-len(wrong)]
        cls.wrong = answers[-len(wrong):]

    def test_lists_every_fiber_once(self):
        self.assertEqual(len(self.parked), 3, self.listed)
        for line in (r"running .*::spin_at_the_gate$", r"parked home .*::wait_at_home$"):
            self.assertEqual(len(re.findall(line, self.listed, re.MULTILINE)), 1, self.listed)

    def test_lists_what_they_wait_for(self):
        address = re.search(r"\) (0x[0-9a-f]+) <", self.gate)[1]
        self.assertEqual(len(re.findall(rf"semaphore +{address} ", self.listed)), 3, self.listed)
        self.assertEqual(len(re.findall(rf"condition +{address} ", self.listed)), 1, self.listed)

    def test_shows_the_stack_of_a_parked_fiber(self):
        for fiber, text in zip(self.parked, self.single, strict=True):
            self.assertRegex(text, rf"Fiber {fiber} \(parked in semaphore\):\n#0 ")
            frames = re.findall(r"^#\d+ .*?(\w+) \((?!anonymous)", text, re.MULTILINE)
            begin = frames.index("wait_at_the_gate")
            self.assertEqual(frames[begin:begin + 3],
                             ["wait_at_the_gate", "serve_visitor", "parked_main"], text)
            self.assertNotIn("weft_leave_home", text)

    def test_shows_all_stacks(self):
        text = self.everything
        self.assertEqual(text.count("wait_at_the_gate (number="), 3, text)
        self.assertEqual(text.count("::spin_at_the_gate ("), 1, text)
        self.assertIn("::wait_at_home (", text)

    def test_makes_a_fiber_the_current_one(self):
        text = "".join(self.current)
        numbers = re.findall(r"^\$\d+ = (\d+)$", text, re.MULTILINE)
        self.assertEqual(set(numbers), THREAD_NUMBERS, text)
        self.assertEqual(text.count("::serve_visitor ("), 3, text)

    def test_puts_everything_back(self):
        before, after = self.stacks_of_main
        self.assertIn(" main (", before)
        self.assertEqual(re.findall(r"^#.*", before, re.MULTILINE),
                         re.findall(r"^#.*", after, re.MULTILINE))

    def test_says_what_is_wrong(self):
        for answer, expected in zip(self.wrong, ("There is no fiber 1;",
                                                 "'x' is no number of a fiber", "Which one?")):
            self.assertIn(expected, answer)


class Live(Stacks, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with Program() as program:
            cls.look(program.target())


class Core(Stacks, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            core = os.path.join(folder, "core")
            with Program() as program:
                answer = gdb(f"generate-core-file {core}", target=program.target())
            assert os.path.exists(core), answer
            cls.look([PROGRAM, core])


class Nothing(unittest.TestCase):
    def test_says_that_there_is_no_process(self):
        self.assertIn("No process and no core file.", gdb("weft fibers", target=[PROGRAM])[0])

    def test_says_that_there_is_no_weft(self):
        with subprocess.Popen(["sleep", "60"]) as other:
            text = gdb("weft fibers", target=["-p", str(other.pid)])[0]
            other.kill()
        self.assertIn("This program has no weft in it", text)


def can_attach():
    with Program() as program:
        return "weft_leave_home" in gdb("thread apply all bt", target=program.target())[0]


if __name__ == "__main__":
    if not can_attach():
        print("this machine lets nobody attach to a process")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
