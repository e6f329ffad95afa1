// SPDX-License-Identifier: Apache-2.0
// How long an x86-64 instruction is, and the little of it that finding system calls needs.
//
// Looking for the two bytes of `syscall` alone finds them in constants and offsets as well (50
// times in OpenSSL, where there is one); stepping from instruction to instruction does not.
#pragma once

#include <cstdint>
#include <optional>

#include "inspect/elf.h"

namespace weft::inspect {

struct Instruction {
  enum class Map : std::uint8_t { one_byte, two_bytes, other };  // 0F is in front of two bytes

  std::uint8_t length_bytes = 0;
  Map map = Map::one_byte;
  std::uint8_t opcode = 0;
  bool has_modrm = false;
  std::uint8_t rex = 0;  // 0: none
  std::uint8_t modrm = 0;
  std::int32_t immediate = 0;  // where it is of four bytes

  bool is(Map wanted_map, std::uint8_t wanted_opcode) const noexcept {
    return map == wanted_map && opcode == wanted_opcode;
  }
  bool is_system_call() const noexcept { return is(Map::two_bytes, 0x05); }
  bool between_registers() const noexcept { return has_modrm && modrm >> 6 == 3; }
  // The registers, 0 to 15, that the second byte names.
  unsigned reg() const noexcept { return (modrm >> 3 & 7U) | (rex & 4U) << 1; }
  unsigned rm() const noexcept { return (modrm & 7U) | (rex & 1U) << 3; }
};

// The instruction at the beginning of the bytes; nothing where there is none, or not all of it.
std::optional<Instruction> decode(Bytes bytes) noexcept;

}  // namespace weft::inspect
