#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The command line as a user meets it: answers, forms, bad input, exit codes. argv[1]: the program.
import json
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

WEFT = os.path.abspath(sys.argv.pop(1))


def weft(*arguments, environment=None, **options):
    variables = {key: value for key, value in os.environ.items() if key != "CPU_LIMIT"}
    variables.update(environment or {})
    return subprocess.run([WEFT, *arguments], capture_output=True, text=True, env=variables,
                          timeout=60, check=False, **options)


def make_host(root, files):
    for path, text in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)


LIMITED_HOST = {
    "proc/self/cgroup": "0::/a\n",
    "proc/self/mountinfo": "30 25 0:26 / /cg rw - cgroup2 cgroup2 rw\n",
    "proc/self/status": "Cpus_allowed:\tff\n",
    "proc/meminfo": "MemTotal: 16777216 kB\n",
    "cg/a/cpu.max": "150000 100000\n",
    "cg/a/memory.max": "536870912\n",
    "cg/a/cpu.stat": "nr_periods 100\nnr_throttled 25\nthrottled_usec 1500000\n",
    "cg/a/cpu.pressure": "some avg10=12.50 avg60=1.00 avg300=0.10 total=99\n",
}


class Answers(unittest.TestCase):
    def host(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        make_host(directory.name, LIMITED_HOST)
        return directory.name

    def test_the_page_explains(self):
        done = weft("budget", "--root", self.host())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for text in ["1.5 cores: room for 1 running thread at a time", "* cgroup v2 quota",
                     "/cg/a/cpu.max", "looser than cgroup v2 quota (1.5 cores)", "512 MiB",
                     "throttled in 25% of its periods (25 of 100), 1.5 s in all", "12.50",
                     "CPU pool", "the CPU budget rounded down (1.5)"]:
            self.assertIn(text, done.stdout)

    def test_json_has_it_all(self):
        answer = json.loads(weft("budget", "--json", "--root", self.host()).stdout)
        self.assertEqual(answer["cpu"]["cores"], 1.5)
        self.assertEqual(answer["cpu"]["threads"], 1)
        self.assertEqual(answer["cpu"]["source"], "cgroup v2 quota")
        self.assertEqual(answer["memory"]["bytes"], 536870912)
        self.assertEqual(answer["pressure"]["throttling"][0]["throttled_seconds"], 1.5)
        self.assertEqual(answer["sizes"]["malloc_arenas"]["value"], 3)
        verdicts = {(c["where"], c["verdict"]) for c in answer["cpu"]["candidates"]}
        self.assertIn(("/cg/a/cpu.max", "chosen"), verdicts)
        self.assertIn(("CPU_LIMIT", "absent"), verdicts)

    def test_env_is_for_eval(self):
        script = 'eval "$("$0" budget --env --root "$1")"; printf "%s " "$GOMAXPROCS" ' \
                 '"$MALLOC_ARENA_MAX" "$UV_THREADPOOL_SIZE" "$JAVA_TOOL_OPTIONS" "$GOMEMLIMIT"; ' \
                 'sh -c "echo $OMP_NUM_THREADS"'
        variables = dict(os.environ, JAVA_TOOL_OPTIONS="-Xmx64m")
        variables.pop("CPU_LIMIT", None)
        done = subprocess.run(["sh", "-uc", script, WEFT, self.host()], capture_output=True,
                              text=True, env=variables, check=True)
        self.assertEqual(done.stdout.split(), ["1", "3", "2", "-Xmx64m",
                                               "-XX:ActiveProcessorCount=1", "483183810", "1"])

    def test_every_assignment_has_its_reason(self):
        lines = weft("budget", "--env").stdout.splitlines()
        assignments = [line for line in lines if not line.startswith("#")]
        self.assertGreater(len(assignments), 10)
        for line in assignments:
            self.assertRegex(line, r"^export [A-Z_]+=\S.*  # .*\w.*")

    def test_a_hostile_name_is_neither_run_nor_obeyed(self):
        root = self.host()
        make_host(root, {
            "proc/self/cgroup": "0::/a\x1b]0;x\x07$(touch /tmp/x)\n",
            "proc/self/mountinfo":
                "30 25 0:26 / /cg\\012exit\\04066\\012# rw - cgroup2 cgroup2 rw\n",
            "cg\nexit 66\n#/a\x1b]0;x\x07$(touch /tmp/x)/cpu.max": "100000 100000\n"})
        page = weft("budget", "--root", root)
        self.assertIn("1 core", page.stdout)
        assignments = weft("budget", "--env", "--root", root).stdout
        for text in (page.stdout, assignments):
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\x07", text)
        done = subprocess.run(["sh", "-c", assignments + "\necho fine"], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "fine\n"))

    def test_the_pin_wins(self):
        answer = json.loads(weft("budget", "--json", environment={"CPU_LIMIT": "1500m"}).stdout)
        self.assertEqual((answer["cpu"]["cores"], answer["cpu"]["pinned"]), (1.5, True))

    def test_another_process(self):
        cpu = min(os.sched_getaffinity(0))
        with subprocess.Popen(["sleep", "60"], env={"CPU_LIMIT": "", "PATH": os.environ["PATH"]}) as child:
            try:
                os.sched_setaffinity(child.pid, {cpu})
                answer = json.loads(weft("budget", "--json", "--pid", str(child.pid)).stdout)
            finally:
                child.kill()
        self.assertEqual((answer["cpu"]["cores"], answer["cpu"]["source"]), (1, "affinity"))

    def test_without_cgroups(self):
        answer = json.loads(weft("budget", "--json", "--no-cgroups").stdout)
        self.assertEqual(answer["cpu"]["source"], "affinity")
        self.assertEqual(answer["memory"]["where"], "sysconf")


class Watching(unittest.TestCase):
    def test_lines_of_json_in_a_pipe(self):
        done = weft("budget", "--watch", "--count", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        samples = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(samples), 2)
        for sample in samples:
            self.assertGreater(sample["cpu"]["cores"], 0)
        self.assertGreater(samples[1]["time"], samples[0]["time"])

    def test_a_reader_that_leaves_ends_it(self):
        with subprocess.Popen([WEFT, "budget", "--watch"], stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            child.stdout.close()
            self.assertEqual(child.wait(timeout=30), -signal.SIGPIPE)

    def test_sigterm_ends_it_well(self):
        with subprocess.Popen([WEFT, "budget", "--watch"], stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            child.send_signal(signal.SIGTERM)
            self.assertEqual(child.wait(timeout=30), 0)

    def test_a_live_page_on_a_terminal_until_q(self):
        try:
            pid, terminal = pty.fork()
        except OSError as error:
            self.skipTest(f"no terminal can be made here: {error}")
        if pid == 0:
            os.execv(WEFT, [WEFT, "budget", "--watch"])
        shown = b""
        deadline = time.monotonic() + 30
        while b"(q leaves)" not in shown and time.monotonic() < deadline:
            if select.select([terminal], [], [], 1)[0]:
                shown += os.read(terminal, 65536)
        os.write(terminal, b"q")
        # Drained, so that the last escape sequences do not keep the program from ending.
        while True:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)
        self.assertIn(b"room for", shown)
        self.assertIn(b"\x1b[?1049h", shown)
        self.assertIn(b"\x1b[?1049l", shown, "the screen is given back")


class BadInput(unittest.TestCase):
    def check(self, done, code, *texts):
        self.assertEqual(done.returncode, code, done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)

    def test_cpu_limit_that_is_no_number(self):
        done = weft("budget", "--json", environment={"CPU_LIMIT": "lots"})
        self.check(done, 2, 'CPU_LIMIT is "lots"', "write cores as 2 or 1.5")
        answer = json.loads(done.stdout)
        self.assertNotEqual(answer["cpu"]["source"], "CPU_LIMIT")
        candidate = answer["cpu"]["candidates"][0]
        self.assertEqual((candidate["source"], candidate["verdict"]), ("CPU_LIMIT", "malformed"))
        self.assertIn("lots", candidate["reason"])

    def test_no_such_process(self):
        done = weft("budget", "--pid", "999999")
        self.check(done, 1, "no process 999999", "ps -e")
        self.assertEqual(done.stdout, "")

    def test_a_pid_that_is_none(self):
        self.check(weft("budget", "--pid", "many"), 2, "--pid", "weft help budget")
        self.check(weft("budget", "--pid", "-1"), 2, "--pid")

    def test_unknown_option(self):
        self.check(weft("budget", "--jsno"), 2, "'--jsno'", "Did you mean '--json'?",
                   "weft help budget")
        self.check(weft("--vershion"), 2, "'--vershion'", "Did you mean '--version'?")

    def test_unknown_command(self):
        self.check(weft("bugdet"), 2, "'bugdet'", "Did you mean 'budget'?", "weft --help")
        self.check(weft("help", "bugdet"), 2, "Did you mean 'budget'?")

    def test_options_that_do_not_go_together(self):
        self.check(weft("budget", "--env", "--json"), 2, "--env", "--json")
        self.check(weft("budget", "--count", "3"), 2, "--count", "--watch")

    def test_a_root_that_is_not_there(self):
        self.check(weft("budget", "--root", "/nonexistent"), 2, "/nonexistent")

    def test_unreadable_proc(self):
        # A mount namespace of its own, with an empty file system where /proc was.
        script = 'mount -t tmpfs none /proc && exec "$0" budget --json'
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, WEFT], capture_output=True,
                              text=True, timeout=60, check=False)
        if "unshare" in done.stderr or "mount:" in done.stderr:
            self.skipTest("no mount namespace here: " + done.stderr)
        self.check(done, 1, "/proc/self/cgroup", "mount /proc or allow reading it", "CPU_LIMIT")
        answer = json.loads(done.stdout)
        self.assertEqual(answer["cpu"]["source"], "affinity")
        self.assertIn("unreadable", [c["verdict"] for c in answer["cpu"]["candidates"]])
        self.assertGreater(answer["memory"]["bytes"], 0)

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([WEFT, "budget", "--json"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, check=False)
        self.check(done, 1, "cannot write to standard output")


class Help(unittest.TestCase):
    def test_help_in_both_ways(self):
        self.assertEqual(weft("help", "budget").stdout, weft("budget", "--help").stdout)
        self.assertEqual(weft("help").stdout, weft("--help").stdout)
        self.assertIn("Commands:", weft().stdout)

    def test_version(self):
        self.assertRegex(weft("--version").stdout, r"^weft \d+\.\d+\.\d+\n$")

    def test_completion_completes(self):
        with tempfile.NamedTemporaryFile("w") as script:
            script.write(weft("completion").stdout)
            script.flush()
            for words, expected in [("weft bud", "budget"), ("weft budget --wat", "--watch"),
                                    ("weft help be", "bench")]:
                ask = f'. {script.name}; COMP_WORDS=({words}); ' \
                      'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _weft; echo "${COMPREPLY[@]}"'
                done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True)
                self.assertEqual(done.stdout.strip(), expected, words)


class Benches(unittest.TestCase):
    def test_lists_what_there_is(self):
        self.assertIn("budget", weft("bench").stdout)

    def test_an_unknown_one(self):
        done = weft("bench", "bugdet")
        self.assertEqual(done.returncode, 2)
        self.assertIn("Did you mean 'budget'?", done.stderr)

    def test_quick_is_one_repetition(self):
        done = weft("bench", "engine", "--quick", "--repeats", "3")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--repeats", done.stderr)


# Where the measuring program is built.
class EngineBench(unittest.TestCase):
    def test_everything_is_measured_and_nothing_is_held_against_a_bar(self):
        done = weft("bench", "engine", "--quick", "--allow-missing", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = json.loads(done.stdout)["rows"]
        names = [row["name"] for row in rows]
        for name in ["mutex, free", "mutex, 64 threads", "ping-pong, 2 CPUs", "create and join",
                     "memory of a thread", "CPU, 512 threads", "echo, 1024 connections"]:
            self.assertIn(name, names)
        for row in rows:
            self.assertIsNone(row["bar"], row)
            self.assertIsNotNone(row["ours"], row)


if __name__ == "__main__":
    unittest.main(verbosity=2)
