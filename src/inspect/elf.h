// SPDX-License-Identifier: Apache-2.0
// Elf: what a program or library says of itself, read from its bytes.
//
// Pure: it takes bytes and trusts none of them. Every offset and size is checked against the bytes
// there are; what lies outside is as if it were not there, but for the headers themselves, without
// which there is no Elf.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::inspect {

using Bytes = std::span<const std::byte>;

// True where the bytes begin as an ELF file does, whatever follows.
bool is_elf(Bytes bytes) noexcept;

// A function, or another place that has a name.
struct Symbol {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::string_view name;  // in the bytes
};

// Code as it lies in the file, and the address it has when it runs unmoved.
struct Code {
  std::uint64_t address = 0;
  Bytes bytes;
};

class Elf {
 public:
  // The bytes must outlive it. An Error says which part is missing; a file of another word size or
  // processor is not an error, but has nothing but is_64_bit(), machine() and type().
  static base::Result<Elf> parse(Bytes bytes);

  bool is_64_bit() const noexcept { return is_64_bit_; }
  unsigned machine() const noexcept { return machine_; }  // EM_X86_64 and so on
  unsigned type() const noexcept { return type_; }        // ET_EXEC, ET_DYN
  // 64 bits, little-endian, x86-64: everything below is filled for such a file only.
  bool is_x86_64() const noexcept { return is_64_bit_ && machine_ == EM_X86_64; }

  // The loader it asks for (PT_INTERP).
  const std::optional<std::string>& loader() const noexcept { return loader_; }
  bool has_dynamic_section() const noexcept { return !dynamic_.empty(); }
  const std::vector<std::string>& needed() const noexcept { return needed_; }
  const std::string& own_name() const noexcept { return own_name_; }  // DT_SONAME

  bool has_section(std::string_view name) const;
  // Whether it wants this function from another file.
  bool imports(std::string_view name) const;
  std::vector<Code> code() const;
  // Named places of the symbol table, or of the dynamic one where there is no other; by address.
  std::vector<Symbol> symbols() const;

 private:
  explicit Elf(Bytes bytes) noexcept : bytes_(bytes) {}

  base::Status read_segments(const Elf64_Ehdr& header);
  void read_sections(const Elf64_Ehdr& header);
  void read_dynamic();
  Bytes at_address(std::uint64_t address) const;
  Bytes content(const Elf64_Shdr& section) const;
  const Elf64_Shdr* find_section(unsigned type) const noexcept;
  Bytes names_of(const Elf64_Shdr& symbol_table) const;
  std::string_view section_name(const Elf64_Shdr& section) const;

  Bytes bytes_;
  bool is_64_bit_ = false;
  unsigned machine_ = EM_NONE;
  unsigned type_ = ET_NONE;
  std::vector<Elf64_Phdr> segments_{};
  std::vector<Elf64_Shdr> sections_{};
  Bytes section_names_{};
  std::vector<Elf64_Dyn> dynamic_{};
  std::optional<std::string> loader_{};
  std::vector<std::string> needed_{};
  std::string own_name_{};
};

// "x86-64", "32-bit x86", "arm64", "machine 243": for people.
std::string architecture_name(const Elf& elf);

}  // namespace weft::inspect
