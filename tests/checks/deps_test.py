#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks scripts/deps on a machine made of stand-ins: its apt-get, dpkg-query, sudo and id are ours.
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

DEPS = Path(__file__).resolve().parents[2] / "scripts/deps"
BUILD = "g++ cmake ninja-build pkg-config libcli11-dev libfmt-dev nlohmann-json3-dev libgtest-dev libdw-dev libssl-dev libboost1.81-dev libboost-fiber1.81-dev libspdlog-dev libsqlite3-dev libpq-dev libmariadb-dev libgrpc++-dev protobuf-compiler-grpc libprotobuf-dev protobuf-compiler libnghttp2-dev".split()
HTTP = ["apache2-bin", "apache2-dev", "nginx-light", "wrk", "nghttp2-client", "golang-google-grpc-dev"]
BOOST = ("libboost1.81-dev", "libboost-context1.81-dev", "libboost-fiber1.81-dev")
REAL_TOOLS = ("bash", "env", "awk", "grep", "sed", "mktemp", "rm", "sleep")


class DepsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="weft-deps-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.programs = self.folder / "bin"
        self.programs.mkdir()
        for tool in REAL_TOOLS:
            (self.programs / tool).symlink_to(shutil.which(tool))
        self.calls = self.folder / "calls"
        self.calls.write_text("")
        self.installed(*BUILD)
        self.offered(*BUILD)
        self.program("id", "echo 0")
        self.program("apt-get", "")

    # A stand-in that notes how it was called.
    def program(self, name, script):
        path = self.programs / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >>"{self.calls}"\n{script}\n')
        path.chmod(0o755)

    def installed(self, *packages):
        answer = "".join(f"{package}=installed " for package in packages)
        self.program("dpkg-query", f"printf '%s' '{answer}strange=not-installed '; exit 1")

    def offered(self, *packages):
        answer = "".join(f"{name}:\n  Installed: (none)\n  Candidate: 1.0\n" for name in packages)
        self.program("apt-cache", f"printf '%s' '{answer}virtual:\n  Candidate: (none)\n'")

    # Fails, with this message, the first `times` times that apt-get does this command.
    def apt_fails(self, command, message, times):
        self.program("apt-get", f"""case "$*" in *" {command}"*)
  echo x >>"{self.folder}/attempts"
  [ $(grep -c x "{self.folder}/attempts") -gt {times} ] || {{ echo "E: {message}" >&2; exit 100; }}
esac""")

    def run_deps(self, *groups):
        done = subprocess.run([self.programs / "bash", DEPS, *groups], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=30,
                              env={"PATH": str(self.programs), "TMPDIR": str(self.folder),
                                   "WEFT_DEPS_PAUSE_SECONDS": "0"})
        self.assertEqual(done.stdout, "")
        return done.returncode, done.stderr

    # What apt-get was asked to do, without its options.
    def apt_commands(self):
        calls = self.calls.read_text().splitlines()
        return [call.rpartition("Error-Mode=any ")[2] for call in calls
                if call.startswith("apt-get ")]

    def test_does_and_says_nothing_where_nothing_is_missing(self):
        self.assertEqual(self.run_deps("build"), (0, ""))
        self.assertEqual(self.run_deps("demo", "build"), (0, ""))
        self.assertEqual(self.apt_commands(), [])

    def test_installs_only_what_is_missing(self):
        self.installed(*BUILD[2:])
        self.assertEqual(self.run_deps("build", "demo"), (0, (
            "scripts/deps: updating the package lists\n"
            "scripts/deps: installing: g++ cmake\n")))
        self.assertEqual(self.apt_commands(),
                         ["update", "install --no-install-recommends g++ cmake"])

    def test_without_a_group_takes_all(self):
        self.installed()
        self.offered()
        code, said = self.run_deps()
        self.assertEqual(code, 1)
        for package in ("g++", "libgtest-dev", "clang-tidy", "default-jre-headless", "llvm"):
            self.assertIn(f" {package}", said)

    def test_takes_a_program_from_anywhere(self):
        self.installed(*BUILD, *BOOST, *HTTP, "python3", "coreutils")
        for program in ("node", "java", "go"):
            self.program(program, "")
        self.assertEqual(self.run_deps("bench"), (0, ""))

    def test_refuses_a_group_that_is_not_there(self):
        code, said = self.run_deps("biuld")
        self.assertEqual(code, 2)
        self.assertIn("'biuld'", said)
        self.assertIn("build|test|bench|demo|fuzz", said)

    def test_names_a_package_that_no_archive_offers(self):
        self.installed(*BUILD[2:])
        self.offered("g++")
        code, said = self.run_deps("build")
        self.assertEqual(code, 1)
        self.assertIn("not in the package archives of this machine: cmake\n", said)
        self.assertEqual(self.apt_commands(), ["update"])

    def test_tries_again_while_another_apt_is_at_work(self):
        self.installed(*BUILD[1:])
        self.apt_fails("install", "Could not get lock /var/lib/dpkg/lock-frontend", times=2)
        code, said = self.run_deps("build")
        self.assertEqual(code, 0, said)
        self.assertIn("apt-get install: Could not get lock; trying again", said)
        self.assertEqual(len(self.apt_commands()), 4)

    def test_gives_up_with_the_log(self):
        self.installed(*BUILD[1:])
        self.apt_fails("install", "Failed to fetch g++_12.deb", times=99)
        code, said = self.run_deps("build")
        self.assertEqual(code, 1)
        self.assertIn("  | E: Failed to fetch g++_12.deb\n", said)
        self.assertIn("by hand, as root: apt-get update && apt-get install g++\n", said)
        self.assertEqual(len(self.apt_commands()), 4)

    def test_does_not_repeat_what_waiting_cannot_cure(self):
        self.installed(*BUILD[1:])
        self.apt_fails("install", "No space left on device", times=99)
        code, said = self.run_deps("build")
        self.assertEqual(code, 1)
        self.assertIn("No space left on device", said)
        self.assertEqual(len(self.apt_commands()), 2)

    def test_goes_on_where_one_source_is_broken(self):
        self.installed(*BUILD[1:])
        self.apt_fails("update", "The repository is not signed", times=99)
        code, said = self.run_deps("build")
        self.assertEqual(code, 0, said)
        self.assertIn("going on with the lists that are there", said)
        self.assertIn("  | E: The repository is not signed\n", said)

    def test_uses_sudo_where_it_is_not_root(self):
        self.installed(*BUILD[1:])
        self.program("id", "echo 1000")
        self.program("sudo", 'shift; exec "$@"')
        self.program("true", "")
        code, said = self.run_deps("build")
        self.assertEqual(code, 0, said)
        self.assertIn("sudo -n env DEBIAN_FRONTEND=noninteractive apt-get", self.calls.read_text())

    def test_says_what_to_install_where_it_may_not(self):
        self.installed(*BUILD[2:])
        self.program("id", "echo 1000")
        code, said = self.run_deps("build")
        self.assertEqual(code, 1)
        self.assertIn("missing: g++ cmake; not root, and there is no sudo", said)
        self.assertIn("apt-get install g++ cmake", said)
        self.program("sudo", "exit 1")
        code, said = self.run_deps("build")
        self.assertEqual(code, 1)
        self.assertIn("missing: g++ cmake; not root, and sudo refuses", said)
        self.assertEqual(self.apt_commands(), [])

    def test_says_what_is_missing_where_there_is_no_apt(self):
        self.installed(*BUILD[2:])
        os.unlink(self.programs / "apt-get")
        code, said = self.run_deps("build")
        self.assertEqual(code, 1)
        self.assertIn("missing: g++ cmake; there is no apt-get here", said)


if __name__ == "__main__":
    unittest.main()
