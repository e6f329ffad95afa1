// SPDX-License-Identifier: Apache-2.0
// Unit tests of the first line of scripts.
#include "inspect/script.h"

#include <gtest/gtest.h>

namespace weft::inspect {
namespace {

using Words = std::vector<std::string>;

TEST(Shebang, InterpreterAndItsOneArgument) {
  EXPECT_EQ(parse_shebang("#!/bin/sh\necho")->interpreter, "/bin/sh");
  EXPECT_FALSE(parse_shebang("#!/bin/sh\n")->argument);
  EXPECT_EQ(parse_shebang("#! \t/bin/sh  -e  -u \nx")->interpreter, "/bin/sh");
  EXPECT_EQ(parse_shebang("#! \t/bin/sh  -e  -u \nx")->argument, "-e  -u");
  EXPECT_EQ(parse_shebang("#!/bin/sh")->interpreter, "/bin/sh");
}

TEST(Shebang, NobodyIsNamed) {
  EXPECT_FALSE(parse_shebang(""));
  EXPECT_FALSE(parse_shebang("#"));
  EXPECT_FALSE(parse_shebang("#!"));
  EXPECT_FALSE(parse_shebang("#!  \n/bin/sh"));
  EXPECT_FALSE(parse_shebang("echo #!/bin/sh"));
}

TEST(Script, TextIsToldFromData) {
  EXPECT_TRUE(is_text("echo hello\n"));
  EXPECT_TRUE(is_text(""));
  EXPECT_TRUE(is_text(std::string_view("exec x\n\0\0", 9)));
  EXPECT_FALSE(is_text(std::string_view("\x7f\0", 2)));
}

TEST(EnvCall, OtherInterpretersAreNotEnv) {
  EXPECT_FALSE(parse_env_call({"/bin/sh", "env"}));
  EXPECT_FALSE(parse_env_call({"/usr/bin/printenv", std::nullopt}));
}

TEST(EnvCall, OneWordWithoutSplitting) {
  const auto call = parse_env_call({"/usr/bin/env", "python3 -u"});
  ASSERT_TRUE(call && call->ok());
  EXPECT_EQ((*call)->words, Words{"python3 -u"});
}

TEST(EnvCall, SplitsAndAssigns) {
  for (const char* const argument :
       {"-S A=1 B= python3 -u", "-SA=1 B= python3 -u", "--split-string=A=1 B= python3 -u"}) {
    const auto call = parse_env_call({"/usr/bin/env", argument});
    ASSERT_TRUE(call && call->ok()) << argument;
    EXPECT_EQ((*call)->words, (Words{"python3", "-u"}));
    ASSERT_EQ((*call)->assignments.size(), 2u);
    EXPECT_EQ((*call)->assignments[0].second, "1");
    EXPECT_EQ((*call)->assignments[1].second, "");
  }
}

TEST(EnvCall, WhatCannotBeDoneInItsPlaceIsNamed) {
  for (const char* const argument : {"-i python3", "-S -i python3", "-S", "-S A=1", "-S a 'b c'"}) {
    const auto call = parse_env_call({"/usr/bin/env", argument});
    ASSERT_TRUE(call);
    ASSERT_FALSE(call->ok()) << argument;
    EXPECT_NE(call->error().message.find("weft run -- INTERPRETER SCRIPT"), std::string::npos);
  }
  const auto alone = parse_env_call({"env", std::nullopt});
  EXPECT_TRUE(alone && !alone->ok());
}

}  // namespace
}  // namespace weft::inspect
