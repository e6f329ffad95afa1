// SPDX-License-Identifier: Apache-2.0
// Unit tests of finding the system calls that code makes by itself, and of what follows from them.
#include "inspect/system_calls.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include "inspect/code_findings.h"
#include "inspect/mapped_file.h"

namespace weft::inspect {
namespace {

CodeFacts facts_of(const char* path) {
  const auto file = MappedFile::open(path);
  EXPECT_TRUE(file.ok());
  const auto elf = Elf::parse(file->bytes());
  EXPECT_TRUE(elf.ok());
  return read_code("fixture", *elf);
}

const Finding* find(const std::vector<Finding>& findings, const std::string& subject) {
  for (const Finding& finding : findings) {
    if (finding.subject == subject) return &finding;
  }
  return nullptr;
}

TEST(SystemCalls, AreFoundWithNumberAndFunction) {
  const CodeFacts facts = facts_of(INSPECT_calling_program);
  ASSERT_EQ(facts.system_calls.size(), 2u) << "the bytes in the constant are none";
  for (const SystemCallSite& site : facts.system_calls) {
    EXPECT_TRUE(site.inside);
    ASSERT_TRUE(site.number);
    EXPECT_EQ(site.function, *site.number == SYS_futex ? "waits_for_a_futex" : "asks_who_it_is");
    EXPECT_EQ(may_wait(site), *site.number == SYS_futex);
  }
}

TEST(SystemCalls, AreFoundWithoutNames) {
  const CodeFacts facts = facts_of(INSPECT_stripped_program);
  ASSERT_EQ(facts.system_calls.size(), 2u);
  for (const SystemCallSite& site : facts.system_calls) EXPECT_TRUE(site.number);
}

TEST(SystemCalls, AreNotInAProgramThatGoesThroughLibc) {
  EXPECT_TRUE(facts_of(INSPECT_dynamic_program).system_calls.empty());
}

TEST(SystemCalls, HaveNames) {
  EXPECT_EQ(system_call_name(SYS_futex), "futex");
  EXPECT_EQ(system_call_name(SYS_gettid), "system call 186");
}

TEST(CodeFindings, WhatWaitsIsNamed) {
  const auto findings = judge({facts_of(INSPECT_calling_program)});
  const Finding* const found = find(findings, "fixture");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->verdict, Verdict::slower);
  EXPECT_NE(found->what.find("futex in waits_for_a_futex"), std::string::npos) << found->what;
  EXPECT_EQ(found->what.find("asks_who_it_is"), std::string::npos) << found->what;
}

TEST(CodeFindings, LiburingIsExpected) {
  CodeFacts uring{.name = "liburing.so.2"};
  uring.system_calls.push_back({0x10, SYS_io_uring_enter, "io_uring_get_events", true});
  const auto findings = judge({facts_of(INSPECT_dynamic_program), uring});
  const Finding* const found = find(findings, "liburing.so.2");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->verdict, Verdict::slower);
  EXPECT_NE(found->what.find("monitor relieves"), std::string::npos) << found->what;
  EXPECT_NE(found->what.find("io_uring_enter in io_uring_get_events"), std::string::npos);
}

TEST(CodeFindings, WhoMakesThreads) {
  const auto findings = judge({facts_of(INSPECT_dynamic_program)});
  ASSERT_NE(find(findings, "threads"), nullptr);
  EXPECT_EQ(find(findings, "threads")->what, "made by fixture");
  EXPECT_NE(find(judge({CodeFacts{.name = "alone"}}), "threads")->what.find("neither"),
            std::string::npos);
}

TEST(CodeFindings, GoSchedulesItself) {
  const auto findings = judge({CodeFacts{.name = "server", .is_go = true}});
  ASSERT_NE(find(findings, "Go"), nullptr);
  EXPECT_EQ(find(findings, "Go")->verdict, Verdict::slower);
}

TEST(CodeFindings, ConstantsAreNotHeldAgainstIt) {
  CodeFacts crypto{.name = "libcrypto.so.3"};
  crypto.system_calls.push_back({0x10, std::nullopt, "table", false});
  const auto findings = judge({crypto});
  EXPECT_EQ(find(findings, "libcrypto.so.3"), nullptr);
  EXPECT_NE(find(findings, "own calls")->what.find("libcrypto.so.3"), std::string::npos);
}

TEST(CodeFindings, PlacesAreCountedTogether) {
  const SystemCallSite one{0x10, SYS_read, "fill", true};
  const SystemCallSite other{0x20, SYS_write, "", false};
  EXPECT_EQ(describe({one, one, other}, 4), "read in fill (2), write at 0x20");
  EXPECT_EQ(describe({one, other}, 1), "read in fill and 1 more");
}

}  // namespace
}  // namespace weft::inspect
