// SPDX-License-Identifier: Apache-2.0
// Unit tests of decode(): lengths of instructions of every form.
#include "inspect/instruction.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weft::inspect {
namespace {

std::vector<std::byte> code(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::size_t length_of(std::vector<std::byte> bytes) {
  const std::size_t given = bytes.size();
  bytes.resize(given + 16);  // what follows does not matter
  const auto found = decode(bytes);
  return found ? found->length_bytes : 0;
}

TEST(Instruction, LengthsOfEveryForm) {
  const std::vector<std::byte> instructions[] = {
      code({0x0F, 0x05}),                                   // syscall
      code({0xC3}),                                         // ret
      code({0x55}),                                         // push %rbp
      code({0x48, 0x89, 0xE5}),                             // mov %rsp,%rbp
      code({0x48, 0x8B, 0x05, 1, 2, 3, 4}),                 // mov 0x4030201(%rip),%rax
      code({0x48, 0x8B, 0x44, 0x24, 0x08}),                 // mov 0x8(%rsp),%rax
      code({0x8B, 0x04, 0x25, 1, 2, 3, 4}),                 // mov 0x4030201,%eax
      code({0x8B, 0x84, 0x8B, 1, 2, 3, 4}),                 // mov 0x4030201(%rbx,%rcx,4),%eax
      code({0xB8, 1, 0, 0, 0}),                             // mov $1,%eax
      code({0x48, 0xB8, 1, 2, 3, 4, 5, 6, 7, 8}),           // movabs
      code({0x66, 0xB8, 1, 2}),                             // mov $0x201,%ax
      code({0x48, 0xC7, 0xC0, 1, 0, 0, 0}),                 // mov $1,%rax
      code({0xF7, 0xC0, 1, 0, 0, 0}),                       // test $1,%eax
      code({0xF7, 0xD8}),                                   // neg %eax
      code({0xF6, 0x43, 0x10, 0x01}),                       // testb $1,0x10(%rbx)
      code({0xE8, 1, 2, 3, 4}),                             // call
      code({0x0F, 0x84, 1, 2, 3, 4}),                       // je
      code({0xEB, 0x10}),                                   // jmp
      code({0x66, 0x0F, 0x1F, 0x44, 0x00, 0x00}),           // nopw
      code({0x66, 0x2E, 0x0F, 0x1F, 0x84, 0, 0, 0, 0, 0}),  // a long nop
      code({0xF0, 0x48, 0x0F, 0xB1, 0x13}),                 // lock cmpxchg
      code({0x66, 0x0F, 0x3A, 0x0F, 0xC1, 0x08}),           // palignr
      code({0x66, 0x0F, 0x38, 0x00, 0xC1}),                 // pshufb
      code({0xC5, 0xF8, 0x77}),                             // vzeroupper
      code({0xC5, 0xFD, 0x6F, 0x06}),                       // vmovdqa
      code({0xC4, 0xE3, 0x7D, 0x39, 0xC1, 0x01}),           // vextracti128
      code({0x62, 0xF1, 0xFE, 0x48, 0x6F, 0x06}),           // vmovdqu64
      code({0x64, 0x48, 0x8B, 0x04, 0x25, 0x28, 0, 0, 0}),  // mov %fs:0x28,%rax
      code({0x69, 0xC0, 1, 2, 3, 4}),                       // imul
      code({0xC8, 1, 2, 3}),                                // enter
  };
  for (const auto& instruction : instructions) {
    EXPECT_EQ(length_of(instruction), instruction.size()) << testing::PrintToString(instruction);
  }
}

TEST(Instruction, CutShortIsNone) {
  const auto whole = code({0x48, 0x8B, 0x84, 0x8B, 1, 2, 3, 4});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(decode(Bytes(whole).first(length))) << length;
  }
  EXPECT_TRUE(decode(whole));
}

TEST(Instruction, WhatIsNoneIn64Bits) {
  EXPECT_FALSE(decode(code({0x06, 0, 0, 0})));
  EXPECT_FALSE(decode(code({0xEA, 0, 0, 0})));
}

TEST(Instruction, RegistersAndConstants) {
  const auto constant = decode(code({0xB8, 0xCA, 0, 0, 0}));
  ASSERT_TRUE(constant);
  EXPECT_EQ(constant->immediate, 0xCA);
  const auto copy = decode(code({0x44, 0x89, 0xE0}));  // mov %r12d,%eax
  ASSERT_TRUE(copy);
  EXPECT_TRUE(copy->between_registers());
  EXPECT_EQ(copy->reg(), 12u);
  EXPECT_EQ(copy->rm(), 0u);
}

}  // namespace
}  // namespace weft::inspect
