#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# `weft run`, `weft doctor` and `weft symbols` as a user meets them. argv[1]: the program.
#
# What needs the preload library is skipped where it is not built.
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

WEFT = os.path.abspath(sys.argv.pop(1))
LIBRARY = os.path.normpath(os.path.join(os.path.dirname(WEFT),
                                        "../../src/preload/libweft-preload.so"))
OURS = re.compile(r"^(WEFT_|LD_PRELOAD$|CPU_LIMIT$)")


def weft(*arguments, environment=None, **options):
    variables = {key: value for key, value in os.environ.items() if not OURS.match(key)}
    variables.update(environment or {})
    return subprocess.run([WEFT, *arguments], capture_output=True, text=True, env=variables,
                          timeout=60, check=False, **options)


class Directory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text, mode=0o755):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    # A copy of a program that is dynamically linked, wherever this runs.
    def copy(self, name, mode=0o755):
        shutil.copyfile(os.path.realpath("/bin/cat"), self.path(name))
        os.chmod(self.path(name), mode)
        return self.path(name)

    def check(self, done, code, *texts):
        self.assertEqual(done.returncode, code, done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)


# What is refused before anything runs. A library that is none stands for ours: it is found, and
# nothing gets so far as to load it.
class BadUse(Directory):
    def run_it(self, *arguments, **variables):
        library = self.write("libweft-preload.so", "")
        return weft("run", *arguments, environment={"WEFT_LIBRARY": library, **variables})

    def test_no_program(self):
        self.check(self.run_it(), 2, "no program given", "weft help run")
        self.check(self.run_it("--stats", "--"), 2, "no program given")

    def test_workers_that_make_no_sense(self):
        for workers in ["0", "-3", "many", "1.5", "100000"]:
            self.check(self.run_it("--workers", workers, "true"), 2, f"--workers is '{workers}'",
                       "from 1 to", "auto")
        self.check(self.run_it("--workers=0", "--", "true"), 2, "--workers is '0'")
        self.check(self.run_it("true", WEFT_WORKERS="x"), 2, "WEFT_WORKERS is 'x'")

    def test_children_that_make_no_sense(self):
        self.check(self.run_it("--children", "sam", "true"), 2, "Did you mean 'same'?")

    def test_an_empty_pattern(self):
        self.check(self.run_it("--keep-native", "", "true"), 2, "--keep-native")

    def test_an_option_without_its_value(self):
        for option in ["--workers", "--keep-native", "--report", "--children"]:
            self.check(self.run_it(option), 2, option, "weft help run")
            self.check(self.run_it(option, "--", "true"), 2, option)

    def test_an_empty_name(self):
        self.check(self.run_it(""), 127, "name is empty")

    def test_an_unknown_option(self):
        self.check(self.run_it("--wrokers", "2", "true"), 2, "'--wrokers'",
                   "Did you mean '--workers'?", "weft help run")

    def test_a_report_that_cannot_be_written(self):
        self.check(self.run_it("--report", self.path("none/report"), "true"), 2,
                   "No such file or directory", "--report")
        self.check(self.run_it("--report", self.directory, "true"), 2, "Is a directory")
        self.check(self.run_it("--report", "/proc/report", "true"), 2, "/proc/report", "--report")
        self.check(self.run_it("true", WEFT_REPORT=self.directory), 2, "WEFT_REPORT")

    def test_no_such_program(self):
        self.check(self.run_it("no-such-program"), 127, "no-such-program", "PATH")
        self.check(self.run_it(self.path("none")), 127, self.path("none"), "no such file")

    def test_not_executable(self):
        self.check(self.run_it(self.write("text", "x", 0o644)), 126, "chmod +x")
        self.check(self.run_it(self.directory), 126, "is a directory")

    def test_another_processor(self):
        program = self.copy("foreign")
        with open(program, "r+b") as file:
            file.seek(18)
            file.write(b"\xb7\x00")  # arm64
        self.check(self.run_it(program), 126, "is for arm64", "x86-64")

    # Nothing but a header, as a cross-compiler writes it.
    def test_headers_of_others(self):
        for name, bits, order, machine, kind, text in [
                ("arm64", 2, 1, 183, 2, "is for arm64"), ("i386", 1, 1, 3, 2, "is for 32-bit x86"),
                ("big_endian", 2, 2, 62, 2, "big-endian"),
                ("object", 2, 1, 62, 1, "not a program: link it first")]:
            header = b"\x7fELF" + bytes([bits, order, 1]) + bytes(9)
            header += struct.pack("<HHIQQQIHHHHHH", kind, machine, 1, 0, 64, 0, 0, 64, 56, 0, 0, 0, 0)
            with open(self.write(name, ""), "wb") as file:
                file.write(header)
            self.check(self.run_it(self.path(name)), 126, self.path(name), text)
            script = self.write(name + "_script", f"#!{self.path(name)}\n")
            self.check(self.run_it(script), 126, script, self.path(name), text)

    def test_a_program_that_is_cut_short(self):
        program = self.copy("short")
        os.truncate(program, 100)
        self.check(self.run_it(program), 126, "ends before")

    def test_set_user_id(self):
        self.check(self.run_it(self.copy("privileged", 0o4755)), 126, "set-user-ID", "LD_PRELOAD",
                   "run it without weft")
        self.check(self.run_it(self.copy("group", 0o2755)), 126, "set-group-ID", "LD_PRELOAD")
        script = self.write("script", f"#!{self.path('privileged')}\n")
        self.check(self.run_it(script), 126, script, "set-user-ID")

    def test_a_static_binary(self):
        if shutil.which("cc") is None:
            self.skipTest("no compiler to make a static program with")
        source = self.write("static.c", "int main(void) { return 0; }\n")
        made = subprocess.run(["cc", "-static", "-o", self.path("static"), source],
                              capture_output=True, check=False)
        if made.returncode != 0:
            self.skipTest("static programs cannot be linked here")
        self.check(self.run_it(self.path("static")), 126, "is statically linked",
                   "run it without weft")

    def test_file_capabilities(self):
        program = self.copy("capable")
        # cap_net_bind_service=ep, revision 2.
        value = bytes.fromhex("0100000200040000000000000000000000000000")
        try:
            os.setxattr(program, "security.capability", value)
        except OSError as error:
            self.skipTest(f"no file capabilities here: {error}")
        self.check(self.run_it(program), 126, "file capabilities", "setcap -r")

    def test_an_interpreter_that_is_not_there(self):
        script = self.write("script", "#!/nonexistent/sh\n")
        self.check(self.run_it(script), 127, script, "/nonexistent/sh", "no such file")
        text = self.write("text", "x", 0o644)
        self.check(self.run_it(self.write("other", f"#!{text}\n")), 126, text, "chmod +x")

    def test_env_asked_for_more(self):
        self.check(self.run_it(self.write("script", "#!/usr/bin/env -i sh\n")), 126, "-i sh",
                   "weft run -- INTERPRETER SCRIPT")

    def test_no_library(self):
        self.check(weft("run", "true", environment={"WEFT_LIBRARY": self.path("none")}), 2,
                   "WEFT_LIBRARY", "No such file")
        shutil.copy(WEFT, self.path("weft"))
        done = subprocess.run([self.path("weft"), "run", "true"], capture_output=True, text=True,
                              env={"PATH": os.environ["PATH"]}, timeout=60, check=False)
        self.check(done, 2, "cannot find the preload library", "WEFT_LIBRARY")

    def test_a_library_with_a_space_in_its_path(self):
        library = self.write("with space.so", "")
        self.check(weft("run", "true", environment={"WEFT_LIBRARY": library}), 2, "a space")


@unittest.skipUnless(os.path.exists(LIBRARY), f"the preload library is not built: {LIBRARY}")
class Runs(Directory):
    def test_the_program_takes_wefts_place(self):
        with subprocess.Popen([WEFT, "run", "sh", "-c", "echo $$"], stdout=subprocess.PIPE,
                              text=True) as child:
            self.assertEqual(int(child.stdout.read()), child.pid)

    def test_exit_code_and_output(self):
        done = weft("run", "--", "sh", "-c", "echo out; echo err >&2; exit 7")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "out\n", "err\n"))

    def test_a_signal_ends_it(self):
        done = weft("run", "sh", "-c", "kill -TERM $$")
        self.assertEqual(done.returncode, -signal.SIGTERM)

    def test_a_signal_reaches_it(self):
        script = "trap 'echo got; exit 3' USR1; echo ready; while :; do sleep 0.1; done"
        with subprocess.Popen([WEFT, "run", "sh", "-c", script], stdout=subprocess.PIPE,
                              text=True) as child:
            self.assertEqual(child.stdout.readline(), "ready\n")
            child.send_signal(signal.SIGUSR1)
            self.assertEqual(child.stdout.readline(), "got\n")
            self.assertEqual(child.wait(timeout=30), 3)

    def test_arguments_are_the_programs_own(self):
        for words in [["echo", "--workers", "0", "-h", "--"], ["--", "echo", "--help"],
                      ["--workers", "1", "echo", "", "a b"]]:
            begin = words.index("echo") + 1
            done = weft("run", *words)
            # echo prints options that it does not know.
            self.assertEqual(done.returncode, 0, done.stderr)
            if "--help" not in words:
                self.assertEqual(done.stdout, " ".join(words[begin:]) + "\n")

    def test_input_and_descriptors_pass(self):
        self.assertEqual(weft("run", "cat", input="text").stdout, "text")
        ours, theirs = socket.socketpair()
        with ours, theirs:
            done = weft("run", "sh", "-c", f"echo hello >&{theirs.fileno()}",
                        pass_fds=[theirs.fileno()])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(ours.recv(16), b"hello\n")

    def test_scripts(self):
        shell = self.write("shell", "#!/bin/sh -e\necho $0 $1\n")
        self.assertEqual(weft("run", shell, "x").stdout, f"{shell} x\n")
        bare = self.write("bare", "echo $0 $1\n")
        self.assertEqual(weft("run", bare, "x").stdout, f"{bare} x\n")
        by_env = self.write("by_env", "#!/usr/bin/env -S A=1 sh -e\necho $A $0 $1\n")
        self.assertEqual(weft("run", by_env, "x").stdout, f"1 {by_env} x\n")

    def test_the_start_up_line_on_request_only(self):
        # Where there are no threads there is nothing to start.
        script = "import threading; it = threading.Thread(target=print); it.start(); it.join()"
        program = [sys.executable, "-c", script]
        self.assertEqual(weft("run", *program).stderr, "")
        self.assertRegex(weft("run", "--verbose", *program).stderr, r"\Aweft: .+\n\Z")

    def test_the_report_is_json(self):
        script = "import threading; it = threading.Thread(target=print); it.start(); it.join()"
        report = self.path("report.json")
        done = weft("run", "--report", report, sys.executable, "-c", script)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(report, encoding="utf-8") as file:
            written = json.load(file)
        self.assertGreater(written["workers"], 0)
        self.assertEqual(written["trips_home"]["thread end"], 1)

    def test_threads_are_kept_native_by_their_start_routine(self):
        source = self.write("kept.c", "#include <pthread.h>\n#include <stdio.h>\n#include <unistd.h>\n"
                            "void* kept(void* it) { usleep(1000); return it; }\n"
                            "int main(void) { pthread_t it; pthread_create(&it, 0, kept, 0);"
                            " return pthread_join(it, 0); }\n")
        program = self.path("kept")
        subprocess.run(["cc", "-pthread", "-rdynamic", "-o", program, source], check=True)
        for pattern, sleeps in (("other", True), ("k?pt", False)):
            done = weft("run", "--stats", "--keep-native", f"nobody:{pattern}", program)
            self.assertEqual(done.returncode, 0)
            self.assertEqual("waits: sleep" in done.stderr, sleeps, done.stderr)

    def test_nothing_of_ours_is_in_the_programs_environment(self):
        done = weft("run", "--workers", "1", "--stats", "--children", "none", "env",
                    environment={"WEFT_VERBOSE": "0"})
        ours = [line for line in done.stdout.splitlines() if OURS.match(line.split("=")[0])]
        self.assertEqual(ours, [])

    def test_another_preload_stays(self):
        library = self.path("other.so")
        source = self.write("other.c", "#include <stdio.h>\n__attribute__((constructor)) "
                            "static void begin(void) { fputs(\"other\\n\", stderr); }\n")
        made = subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source],
                              capture_output=True, check=False) if shutil.which("cc") else None
        if made is None or made.returncode != 0:
            self.skipTest("no compiler to make a library with")
        done = weft("run", "sh", "-c", "echo $LD_PRELOAD", environment={"LD_PRELOAD": library})
        self.assertEqual(done.stdout, library + "\n")
        self.assertEqual(done.stderr, "other\n" * 2, "in weft, and in the program")


    def test_children_have_the_preload_list_to_the_letter(self):
        # Not there, as natively: the loader says so, and goes on.
        for list_of_others in ["", "none.so", " none.so  other.so:", ":", "none.so:"]:
            native = subprocess.run(["env"], capture_output=True, text=True, check=True,
                                    env={"PATH": os.environ["PATH"], "LD_PRELOAD": list_of_others})
            done = weft("run", "sh", "-c", "env", environment={"LD_PRELOAD": list_of_others})
            wanted = [line for line in native.stdout.splitlines() if "LD_PRELOAD" in line]
            self.assertEqual([line for line in done.stdout.splitlines() if "LD_PRELOAD" in line],
                             wanted)


class Doctor(Directory):
    def doctor(self, *words):
        library = self.write("libweft-preload.so", "")
        done = weft("doctor", "--json", *words, environment={"WEFT_LIBRARY": library})
        return done, json.loads(done.stdout)

    def test_every_line_has_a_verdict(self):
        done, answer = self.doctor()
        subjects = [finding["subject"] for finding in answer["machine"]]
        for subject in ["kernel", "processor", "fsgsbase", "shadow stack", "glibc", "CPU budget",
                        "io_uring", "epoll", "open files", "threads", "mappings", "stuck calls",
                        "statistics", "container", "library"]:
            self.assertIn(subject, subjects)
        for finding in answer["machine"]:
            self.assertIn(finding["verdict"], ["ok", "slower", "no"])
            self.assertTrue(finding["what"])
            if finding["verdict"] == "ok":
                self.assertEqual(finding["advice"], "")
        self.assertIsNone(answer["program"])
        self.assertEqual(done.returncode, 1 if answer["verdict"] == "no" else 0)

    def test_the_page_says_the_same(self):
        _, answer = self.doctor()
        page = weft("doctor").stdout
        self.assertIn("This machine\n", page)
        for finding in answer["machine"]:
            self.assertIn(finding["subject"], page)
        self.assertRegex(page, r"\nweft can(not)? run here[^\n]*\n\Z")

    def test_a_program_is_looked_at_and_not_run(self):
        program = self.write("script", f"#!/bin/sh\ntouch {self.path('ran')}\n")
        _, answer = self.doctor("--", program, "--json")
        self.assertEqual(answer["program"]["path"], program)
        self.assertEqual(answer["program"]["binary"], "/bin/sh")
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_a_program_in_the_path(self):
        _, answer = self.doctor("cat")
        findings = {finding["subject"]: finding for finding in answer["program"]["findings"]}
        self.assertEqual(findings["program"]["verdict"], "ok")
        self.assertEqual(findings["libraries"]["verdict"], "ok")
        self.assertIn("threads", findings)
        self.assertIn("own calls", findings)

    def test_programs_that_cannot_be(self):
        for program, text in [("no-such-program", "PATH"),
                              (self.copy("privileged", 0o4755), "set-user-ID")]:
            done, answer = self.doctor(program)
            self.assertEqual((done.returncode, answer["verdict"]), (1, "no"))
            self.assertIn(text, answer["program"]["findings"][0]["what"])

    def test_no_library_is_no(self):
        done = weft("doctor", environment={"WEFT_LIBRARY": self.path("none")})
        self.assertEqual(done.returncode, 1)
        self.assertIn("WEFT_LIBRARY", done.stdout)

    def test_an_unknown_option(self):
        done = weft("doctor", "--jsno")
        self.assertEqual(done.returncode, 2)
        self.assertIn("Did you mean '--json'?", done.stderr)


class Symbols(unittest.TestCase):
    def test_the_table_in_both_forms(self):
        rows = json.loads(weft("symbols", "--json").stdout)
        self.assertGreater(len(rows), 5)
        lines = weft("symbols").stdout.splitlines()
        self.assertEqual(len(lines), len(rows))
        for row, line in zip(rows, lines):
            self.assertEqual(line.split()[:3], [row["name"], row["family"], row["treatment"]])
            self.assertTrue(line.endswith(row["how"]))
        names = [row["name"] for row in rows]
        self.assertEqual(len(names), len(set(names)), "each name once")

    def test_words_are_those_of_the_help(self):
        explained = set(re.findall(r"^  (\w+) ", weft("help", "symbols").stdout, re.MULTILINE))
        families = {"pthread", "c11", "semaphore", "sleep", "socket", "file", "descriptor", "poll", "aio",
                    "process", "signal", "credentials", "cpu", "memory", "system"}
        for row in json.loads(weft("symbols", "--json").stdout):
            self.assertIn(row["treatment"], explained)
            self.assertIn(row["family"], families)
            self.assertTrue(row["how"])

    def test_some_of_them(self):
        done = weft("symbols", "pthread_create")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(done.stdout.splitlines()), 1)
        for row in json.loads(weft("symbols", "--json", "--family", "pthread").stdout):
            self.assertEqual(row["family"], "pthread")

    def test_what_is_not_interposed(self):
        done = weft("symbols", "pthread_create", "strlen")
        self.assertEqual(done.returncode, 1)
        self.assertIn("strlen is not interposed", done.stderr)
        self.assertIn("pthread_create", done.stdout)

    def test_an_unknown_family(self):
        done = weft("symbols", "--family", "pthraed")
        self.assertEqual(done.returncode, 2)
        self.assertIn("Did you mean 'pthread'?", done.stderr)


class Completion(unittest.TestCase):
    def complete(self, *words):
        ask = 'eval "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _weft; ' \
              'printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", ask, "bash", weft("completion").stdout, *words],
                              capture_output=True, text=True, timeout=60, check=True)
        return done.stdout.split()

    def test_options_then_programs(self):
        self.assertEqual(self.complete("weft", "run", "--work"), ["--workers"])
        self.assertIn("cat", self.complete("weft", "run", "--stats", "ca"))
        self.assertIn("cat", self.complete("weft", "doctor", "ca"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
