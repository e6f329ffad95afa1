// SPDX-License-Identifier: Apache-2.0
// Unit tests of finding programs and judging them, in a directory of the test's own.
#include "inspect/program.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "inspect/search_path.h"

namespace weft::inspect {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class ProgramTest : public testing::Test {
 protected:
  ProgramTest() {
    std::string name = fs::temp_directory_path() / "weft-inspect-XXXXXX";
    directory_ = ::mkdtemp(name.data());
  }
  ~ProgramTest() override { fs::remove_all(directory_); }

  std::string write(const std::string& name, const std::string& text, mode_t mode = 0755) {
    const std::string path = directory_ / name;
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }
  std::string copy(const char* of, const std::string& name) {
    const std::string path = directory_ / name;
    fs::copy_file(of, path);
    ::chmod(path.c_str(), 0755);
    return path;
  }
  std::string path(const std::string& name) const { return directory_ / name; }
  void expect_refused(const std::string& program, int exit_code, const std::string& reason) {
    const Program found = find({program}, directory_.string());
    ASSERT_TRUE(found.refusal) << program;
    EXPECT_EQ(found.refusal->exit_code, exit_code);
    EXPECT_NE(found.refusal->reason.find(reason), std::string::npos) << found.refusal->reason;
  }

  fs::path directory_;
};

TEST_F(ProgramTest, IsFoundInTheFirstDirectoryThatHasIt) {
  write("one/tool", "x", 0644);
  write("two/tool", "x");
  write("three/tool", "x");
  const std::string directories =
      path("none") + ":" + path("one") + ":" + path("two") + ":" + path("three");
  EXPECT_EQ(find_program("tool", directories).path, path("two/tool"));
  EXPECT_EQ(find_program("other", directories).outcome, Found::Outcome::not_found);
  EXPECT_EQ(find_program("", directories).outcome, Found::Outcome::not_found);
  const Found plain = find_program("tool", path("one"));
  EXPECT_EQ(plain.outcome, Found::Outcome::not_executable);
  EXPECT_NE(plain.reason.find("chmod +x"), std::string::npos);
}

TEST_F(ProgramTest, APathIsNotSearchedFor) {
  write("tool", "x");
  EXPECT_EQ(find_program(path("tool"), "").outcome, Found::Outcome::executable);
  EXPECT_EQ(find_program("./tool-that-is-not-here", directory_.string()).outcome,
            Found::Outcome::not_found);
  EXPECT_EQ(find_program(directory_.string(), "").reason, "is a directory");
  EXPECT_EQ(find_program("/dev/null", "").reason, "is not a regular file");
}

TEST_F(ProgramTest, ADynamicProgramIsRunAsItIs) {
  const Program program = find({INSPECT_dynamic_program, "--x"}, "");
  EXPECT_FALSE(program.refusal) << program.refusal->reason;
  EXPECT_EQ(program.path, INSPECT_dynamic_program);
  EXPECT_EQ(program.binary, INSPECT_dynamic_program);
  EXPECT_EQ(program.arguments, (Words{INSPECT_dynamic_program, "--x"}));
}

TEST_F(ProgramTest, RefusesWhatItCannotReach) {
  expect_refused(INSPECT_static_program, exit_cannot_execute, "is statically linked");
  expect_refused(INSPECT_static_pie_program, exit_cannot_execute, "is statically linked");
  expect_refused("nothing", exit_not_found, "in the directories of PATH");
  expect_refused("./nothing", exit_not_found, "no such file");
  expect_refused(directory_.string(), exit_cannot_execute, "is a directory");
  expect_refused(write("data", std::string("\x7f"
                                           "ELF\2\1\1\0",
                                           8)),
                 exit_cannot_execute, "ends within its ELF header");
  expect_refused(write("zeros", std::string(64, '\0')), exit_cannot_execute, "does not begin as");
}

TEST_F(ProgramTest, RefusesOtherProcessors) {
  const std::string program = copy(INSPECT_dynamic_program, "foreign");
  std::fstream file(program, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(EI_NIDENT + 2).put(static_cast<char>(EM_AARCH64));
  file.close();
  expect_refused(program, exit_cannot_execute, "is for arm64, and weft for x86-64");
}

TEST_F(ProgramTest, RefusesSetUserId) {
  const std::string program = copy(INSPECT_dynamic_program, "privileged");
  ::chmod(program.c_str(), 04755);
  expect_refused(program, exit_cannot_execute, "has the set-user-ID bit");
  ::chmod(program.c_str(), 02755);
  expect_refused(program, exit_cannot_execute, "has the set-group-ID bit");
  const auto file = Elf::parse({});
  EXPECT_NE(judge(file, {})->reason.find("not a program"), std::string::npos);
}

TEST_F(ProgramTest, AScriptIsFollowedToItsInterpreter) {
  const std::string script = write("script", std::string("#!") + INSPECT_dynamic_program + " -e\n");
  const Program program = find({"script", "a"}, directory_.string());
  EXPECT_FALSE(program.refusal);
  EXPECT_EQ(program.path, script);
  EXPECT_EQ(program.arguments, (Words{"script", "a"}));
  EXPECT_EQ(program.binary, INSPECT_dynamic_program);
  EXPECT_EQ(program.scripts, Words{script});
}

TEST_F(ProgramTest, EnvIsReplacedByWhatItBecomes) {
  copy(INSPECT_dynamic_program, "interpreter");
  const std::string script = write("script", "#!/usr/bin/env -S A=1 interpreter -u\n");
  const Program program = find({"script", "a"}, directory_.string());
  EXPECT_FALSE(program.refusal);
  EXPECT_EQ(program.path, path("interpreter"));
  EXPECT_EQ(program.arguments, (Words{"interpreter", "-u", script, "a"}));
  ASSERT_EQ(program.assignments.size(), 1u);
  EXPECT_EQ(program.assignments.front().first, "A");
}

TEST_F(ProgramTest, TextWithoutAnInterpreterIsTheShells) {
  const std::string script = write("script", "echo $0\n");
  const Program program = find({"script", "a"}, directory_.string());
  EXPECT_EQ(program.path, "/bin/sh");
  EXPECT_EQ(program.arguments, (Words{"sh", script, "a"}));
}

TEST_F(ProgramTest, InterpretersThatCannotBe) {
  expect_refused(write("gone", "#!/nonexistent/interpreter\n"), exit_not_found,
                 "its interpreter /nonexistent/interpreter: no such file");
  expect_refused(write("unknown", "#!/usr/bin/env nonexistent-interpreter\n"), exit_not_found,
                 "nonexistent-interpreter: no such program");
  expect_refused(write("static", std::string("#!") + INSPECT_static_program + "\n"),
                 exit_cannot_execute, "which is statically linked");
  expect_refused(write("loop", "#!" + path("loop") + "\n"), exit_cannot_execute, "without end");
}

}  // namespace
}  // namespace weft::inspect
