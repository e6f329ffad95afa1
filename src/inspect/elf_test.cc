// SPDX-License-Identifier: Apache-2.0
// Unit tests of Elf, with programs that CMake built and with what is left of them when cut.
#include "inspect/elf.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "inspect/mapped_file.h"

namespace weft::inspect {
namespace {

std::vector<std::byte> bytes_of(const char* path) {
  const auto file = MappedFile::open(path);
  EXPECT_TRUE(file.ok()) << path;
  return {file->bytes().begin(), file->bytes().end()};
}

// Everything that can be asked of it.
std::size_t ask_everything(const Elf& elf) {
  std::size_t found = elf.symbols().size() + elf.needed().size() + architecture_name(elf).size();
  for (const Code& code : elf.code()) found += code.bytes.size();
  return found + (elf.has_section(".text") ? 1 : 0) + (elf.imports("pthread_create") ? 1 : 0);
}

TEST(Elf, ADynamicProgram) {
  const auto bytes = bytes_of(INSPECT_dynamic_program);
  const auto elf = Elf::parse(bytes);
  ASSERT_TRUE(elf.ok()) << elf.error().message;
  EXPECT_TRUE(elf->is_x86_64());
  EXPECT_EQ(elf->loader(), "/lib64/ld-linux-x86-64.so.2");
  EXPECT_EQ(elf->needed(), std::vector<std::string>{"libc.so.6"});
  EXPECT_TRUE(elf->imports("pthread_create"));
  EXPECT_FALSE(elf->imports("pthread_creat"));
  EXPECT_TRUE(elf->has_section(".text"));
  EXPECT_FALSE(elf->has_section(".go.buildinfo"));
  EXPECT_FALSE(elf->code().empty());
  EXPECT_EQ(architecture_name(*elf), "x86-64");
}

TEST(Elf, StaticProgramsHaveNoLoader) {
  for (const char* const path : {INSPECT_static_program, INSPECT_static_pie_program}) {
    const auto bytes = bytes_of(path);
    const auto elf = Elf::parse(bytes);
    ASSERT_TRUE(elf.ok()) << elf.error().message;
    EXPECT_FALSE(elf->loader()) << path;
    EXPECT_TRUE(elf->needed().empty()) << path;
  }
}

TEST(Elf, NamesAreSortedByAddress) {
  const auto bytes = bytes_of(INSPECT_calling_program);
  const auto symbols = Elf::parse(bytes)->symbols();
  EXPECT_TRUE(std::is_sorted(
      symbols.begin(), symbols.end(),
      [](const Symbol& one, const Symbol& other) { return one.address < other.address; }));
  EXPECT_TRUE(std::any_of(symbols.begin(), symbols.end(), [](const Symbol& symbol) {
    return symbol.name == "waits_for_a_futex" && symbol.size_bytes > 0;
  }));
}

TEST(Elf, WhatDoesNotBeginAsOne) {
  for (const std::string text : {"", "\x7f",
                                 "\x7f"
                                 "ELG",
                                 "#!/bin/sh\n", "MZ"}) {
    const Bytes bytes = std::as_bytes(std::span(text));
    EXPECT_FALSE(is_elf(bytes));
    EXPECT_FALSE(Elf::parse(bytes).ok()) << text;
  }
}

TEST(Elf, OtherProcessors) {
  auto bytes = bytes_of(INSPECT_dynamic_program);
  bytes[EI_NIDENT + 2] = std::byte{EM_AARCH64};
  bytes[EI_NIDENT + 3] = std::byte{0};
  auto elf = Elf::parse(bytes);
  ASSERT_TRUE(elf.ok());
  EXPECT_FALSE(elf->is_x86_64());
  EXPECT_EQ(architecture_name(*elf), "arm64");

  bytes[EI_NIDENT + 2] = std::byte{EM_386};
  bytes[EI_CLASS] = std::byte{ELFCLASS32};
  elf = Elf::parse(bytes);
  ASSERT_TRUE(elf.ok());
  EXPECT_FALSE(elf->is_x86_64());
  EXPECT_EQ(architecture_name(*elf), "32-bit x86");

  bytes[EI_DATA] = std::byte{ELFDATA2MSB};
  elf = Elf::parse(bytes);
  ASSERT_TRUE(elf.ok());
  EXPECT_EQ(architecture_name(*elf), "a big-endian processor");
}

TEST(Elf, CutAnywhereItIsWholeOrNamed) {
  const auto bytes = bytes_of(INSPECT_dynamic_program);
  for (std::size_t length = 0; length < bytes.size(); length += length < 2'048 ? 1 : 61) {
    const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<long>(length));
    const auto elf = Elf::parse(cut);
    if (elf) {
      ask_everything(*elf);
    } else {
      EXPECT_FALSE(elf.error().message.empty());
    }
  }
  const auto header_only = Elf::parse(Bytes(bytes).first(sizeof(Elf64_Ehdr)));
  ASSERT_FALSE(header_only.ok());
  EXPECT_EQ(header_only.error().message, "ends before its program headers");
}

TEST(Elf, NoByteIsTrusted) {
  const auto whole = bytes_of(INSPECT_dynamic_program);
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed,cert-msc51-cpp): repeatable
  // Headers at the beginning and section headers at the end, where offsets and sizes are.
  for (int round = 0; round < 3'000; ++round) {
    auto bytes = whole;
    for (int change = 0; change < 4; ++change) {
      const std::size_t from_end = random() % 2 == 0 ? bytes.size() - 2'048 : 0;
      bytes[from_end + random() % 1'024] = static_cast<std::byte>(random());
    }
    if (const auto elf = Elf::parse(bytes)) ask_everything(*elf);
  }
}

}  // namespace
}  // namespace weft::inspect
