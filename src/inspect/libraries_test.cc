// SPDX-License-Identifier: Apache-2.0
// Unit tests of the loader's list, and of what is known of libraries.
#include "inspect/libraries.h"

#include <gtest/gtest.h>

namespace weft::inspect {
namespace {

TEST(Libraries, TheLoadersList) {
  const auto list = parse_library_list(
      "\tlinux-vdso.so.1 (0x00007ffc0a5f2000)\n"
      "\tliburing.so.2 => /lib/x86_64-linux-gnu/liburing.so.2 (0x00007f0000000000)\n"
      "\tlibgone.so.1 => not found\n"
      "\t/opt/with space/liba.so => /opt/with space/liba.so (0x00007f0000000000)\n"
      "\t/lib64/ld-linux-x86-64.so.2 (0x00007f0000000000)\n");
  ASSERT_EQ(list.found.size(), 3u);
  EXPECT_EQ(list.found[0].name, "liburing.so.2");
  EXPECT_EQ(list.found[0].path, "/lib/x86_64-linux-gnu/liburing.so.2");
  EXPECT_EQ(list.found[1].name, "liba.so");
  EXPECT_EQ(list.found[1].path, "/opt/with space/liba.so");
  EXPECT_EQ(list.found[2].name, "ld-linux-x86-64.so.2");
  EXPECT_EQ(list.missing, std::vector<std::string>{"libgone.so.1"});
}

TEST(Libraries, NothingToList) {
  EXPECT_TRUE(parse_library_list("").found.empty());
  EXPECT_TRUE(parse_library_list("\tstatically linked\n").found.empty());
}

TEST(Libraries, PartsOfLibc) {
  EXPECT_TRUE(belongs_to_libc("libc.so.6"));
  EXPECT_TRUE(belongs_to_libc("ld-linux-x86-64.so.2"));
  EXPECT_FALSE(belongs_to_libc("libcrypto.so.3"));
  EXPECT_FALSE(belongs_to_libc("libstdc++.so.6"));
}

TEST(Libraries, KnownOnes) {
  EXPECT_EQ(judge_library("liburing.so.2")->verdict, Verdict::slower);
  EXPECT_EQ(judge_library("libaio.so.1t64")->verdict, Verdict::ok);
  EXPECT_EQ(judge_library("libtcmalloc_minimal.so.4")->verdict, Verdict::ok);
  EXPECT_FALSE(judge_library("libz.so.1"));
}

}  // namespace
}  // namespace weft::inspect
