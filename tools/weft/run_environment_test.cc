// SPDX-License-Identifier: Apache-2.0
// Unit tests of what `weft run` tells the library, and of where it finds it.
#include "run_environment.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "install_paths.h"
#include "run_library.h"

namespace weft::tool {
namespace {

namespace fs = std::filesystem;
const std::string library = "/lib/weft/libweft-preload.so";

std::map<std::string, std::string> environment;

char* variable(const char* name) {
  const auto found = environment.find(name);
  return found != environment.end() ? found->second.data() : nullptr;
}

class RunEnvironment : public testing::Test {
 protected:
  RunEnvironment() {
    environment.clear();
    std::string name = fs::temp_directory_path() / "weft-run-XXXXXX";
    directory_ = ::mkdtemp(name.data());
  }
  ~RunEnvironment() override { fs::remove_all(directory_); }

  std::string touch(const std::string& name) {
    const fs::path path = directory_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "x";
    return path;
  }
  void expect_error(const RunOptions& options, const std::string& text) {
    const auto assignments = assignments_for(options, library, variable);
    ASSERT_FALSE(assignments.ok()) << text;
    EXPECT_NE(assignments.error().message.find(text), std::string::npos)
        << assignments.error().message;
  }

  fs::path directory_;
};

TEST_F(RunEnvironment, NothingAskedForIsTheLibraryAlone) {
  const auto assignments = assignments_for({}, library, variable);
  ASSERT_TRUE(assignments.ok());
  EXPECT_EQ(*assignments, (Assignments{{"LD_PRELOAD", library}}));
}

TEST_F(RunEnvironment, EveryOptionIsAVariable) {
  RunOptions options;
  options.workers = "4";
  options.keep_native = {"signal*", "timer"};
  options.stats = options.host_cpus = options.verbose = true;
  options.report = directory_ / "report";
  options.children = "all";
  const auto assignments = assignments_for(options, library, variable);
  ASSERT_TRUE(assignments.ok()) << assignments.error().message;
  EXPECT_EQ(*assignments, (Assignments{{"LD_PRELOAD", library},
                                       {"WEFT_WORKERS", "4"},
                                       {"WEFT_KEEP_NATIVE", "signal*:timer"},
                                       {"WEFT_STATS", "1"},
                                       {"WEFT_REPORT", directory_ / "report"},
                                       {"WEFT_CHILDREN", "all"},
                                       {"WEFT_CPU_COUNT", "host"},
                                       {"WEFT_VERBOSE", "1"}}));
  EXPECT_FALSE(fs::exists(directory_ / "report")) << "looking leaves nothing behind";
}

TEST_F(RunEnvironment, WorkersThatMakeNoSense) {
  for (const char* const workers :
       {"0", "-1", "1.5", "many", "257", "99999999999999999999", " 2"}) {
    RunOptions options;
    options.workers = workers;
    expect_error(options, std::string("--workers is '") + workers + "'");
  }
  environment["WEFT_WORKERS"] = "zero";
  expect_error({}, "WEFT_WORKERS is 'zero'");
  RunOptions options;
  options.workers = "auto";
  EXPECT_TRUE(assignments_for(options, library, variable).ok()) << "the option wins";
}

TEST_F(RunEnvironment, OtherValuesThatMakeNoSense) {
  RunOptions options;
  options.children = "sam";
  expect_error(options, "Did you mean 'same'?");
  options = {};
  options.keep_native = {"a", ""};
  expect_error(options, "--keep-native is empty");
  options.keep_native = {"--"};
  expect_error(options, "--keep-native has no pattern");
  options.keep_native = {std::string(300, 'a'), std::string(300, 'b')};
  expect_error(options, "--keep-native is 601 bytes long");
  environment["WEFT_CHILDREN"] = "some";
  expect_error({}, "WEFT_CHILDREN is 'some'");
}

TEST_F(RunEnvironment, AReportThatCannotBeWritten) {
  RunOptions options;
  options.report = directory_ / "none/report";
  expect_error(options, "No such file or directory; name a file that can be written with --report");
  options.report = directory_;
  expect_error(options, "Is a directory");
  options.report = "--";
  expect_error(options, "--report has no file");
  options = {};
  environment["WEFT_REPORT"] = directory_;
  expect_error({}, "WEFT_REPORT");
}

TEST_F(RunEnvironment, AReportThatIsThereIsLeftAsItIs) {
  const std::string path = touch("report");
  EXPECT_TRUE(check_report(path).ok());
  EXPECT_EQ(fs::file_size(path), 1u);
}

TEST(PreloadList, OursIsFirstAndTheRestAsItWas) {
  EXPECT_EQ(preload_list(library, nullptr), library);
  EXPECT_EQ(preload_list(library, ""), library + ":");
  EXPECT_EQ(preload_list(library, "a.so:b.so"), library + ":a.so:b.so");
  EXPECT_EQ(preload_list(library, "a.so  b.so:"), library + ":a.so  b.so:");
}

TEST(PreloadList, OursIsThereOnce) {
  EXPECT_EQ(preload_list(library, library.c_str()), library);
  EXPECT_EQ(preload_list(library, (library + " a.so").c_str()), library + " a.so");
}

TEST_F(RunEnvironment, TheLibraryOfTheBuildTreeThenTheInstalledOne) {
  const std::string program = touch("build/tools/weft/weft");
  const auto missing = find_preload_library(program, nullptr);
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("WEFT_LIBRARY"), std::string::npos);

  const fs::path base = fs::path(program).parent_path();
  const std::string installed = touch((base / library_installed).lexically_normal());
  EXPECT_EQ(*find_preload_library(program, nullptr), installed);
  const std::string built = touch("build/src/preload/libweft-preload.so");
  EXPECT_EQ(*find_preload_library(program, nullptr), built);
  const std::string own = touch("own.so");
  EXPECT_EQ(*find_preload_library(program, own.c_str()), own);
  EXPECT_EQ(*find_preload_library(program, ""), built) << "empty counts as not set";
}

TEST_F(RunEnvironment, ALibraryThatCannotBePreloaded) {
  const auto gone = find_preload_library("/bin/weft", "/nonexistent/own.so");
  ASSERT_FALSE(gone.ok());
  EXPECT_NE(gone.error().message.find("WEFT_LIBRARY"), std::string::npos);
  const auto spaced = find_preload_library("/bin/weft", touch("with space.so").c_str());
  ASSERT_FALSE(spaced.ok());
  EXPECT_NE(spaced.error().message.find("a space or a colon"), std::string::npos);
}

}  // namespace
}  // namespace weft::tool
