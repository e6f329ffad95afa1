// SPDX-License-Identifier: Apache-2.0
// How long an x86-64 instruction is.
#include "inspect/instruction.h"

#include <algorithm>
#include <cstring>

namespace weft::inspect {
namespace {

using Map = Instruction::Map;

// What follows an opcode.
struct Tail {
  bool valid = true;
  bool modrm = false;
  unsigned immediate_bytes = 0;
};

constexpr Tail invalid{false, false, 0};

constexpr bool within(std::uint8_t value, std::uint8_t low, std::uint8_t high) noexcept {
  return low <= value && value <= high;
}

struct Sizes {
  unsigned word;      // 4, or 2 behind a 66 prefix
  unsigned constant;  // of mov: 8 with REX.W
  unsigned address;   // of mov from an absolute address
};

// Arithmetic: eight operations of the same eight forms.
Tail arithmetic(std::uint8_t opcode, const Sizes& sizes) noexcept {
  switch (opcode & 7) {
    case 4:
      return {true, false, 1};
    case 5:
      return {true, false, sizes.word};
    case 6:
    case 7:
      return invalid;
    default:
      return {true, true, 0};
  }
}

Tail one_byte(std::uint8_t opcode, const Sizes& sizes) noexcept {
  if (opcode < 0x40) return arithmetic(opcode, sizes);
  if (within(opcode, 0x70, 0x7F) || within(opcode, 0xB0, 0xB7)) return {true, false, 1};
  if (within(opcode, 0xE0, 0xE7) || opcode == 0xEB) return {true, false, 1};
  if (within(opcode, 0xB8, 0xBF)) return {true, false, sizes.constant};
  if (within(opcode, 0xA0, 0xA3)) return {true, false, sizes.address};
  if (within(opcode, 0xD0, 0xD3) || within(opcode, 0xD8, 0xDF)) return {true, true, 0};
  if (within(opcode, 0x84, 0x8F)) return {true, true, 0};
  switch (opcode) {
    case 0x63:
    case 0xF6:  // and F7: an immediate for some, see decode()
    case 0xF7:
    case 0xFE:
    case 0xFF:
      return {true, true, 0};
    case 0x68:
    case 0xA9:
      return {true, false, sizes.word};
    case 0x69:
    case 0x81:
    case 0xC7:
      return {true, true, sizes.word};
    case 0x6A:
    case 0xA8:
    case 0xCD:
      return {true, false, 1};
    case 0x6B:
    case 0x80:
    case 0x83:
    case 0xC0:
    case 0xC1:
    case 0xC6:
      return {true, true, 1};
    case 0xC2:
    case 0xCA:
      return {true, false, 2};
    case 0xC8:
      return {true, false, 3};
    case 0xE8:
    case 0xE9:
      return {true, false, 4};
    case 0x60:
    case 0x61:
    case 0x82:
    case 0x9A:
    case 0xCE:
    case 0xD4:
    case 0xD5:
    case 0xD6:
    case 0xEA:
      return invalid;
    default:
      return {};
  }
}

Tail two_bytes(std::uint8_t opcode) noexcept {
  if (within(opcode, 0x80, 0x8F)) return {true, false, 4};
  if (within(opcode, 0x30, 0x37) || within(opcode, 0xC8, 0xCF)) return {};
  if (within(opcode, 0x70, 0x73) || within(opcode, 0xC4, 0xC6)) return {true, true, 1};
  switch (opcode) {
    case 0x05:
    case 0x06:
    case 0x07:
    case 0x08:
    case 0x09:
    case 0x0B:
    case 0x0E:
    case 0x77:
    case 0xA0:
    case 0xA1:
    case 0xA2:
    case 0xA8:
    case 0xA9:
    case 0xAA:
      return {};
    case 0x04:
    case 0x0A:
    case 0x0C:
      return invalid;
    case 0x0F:
    case 0xA4:
    case 0xAC:
    case 0xBA:
    case 0xC2:
      return {true, true, 1};
    default:
      return {true, true, 0};
  }
}

// Behind a VEX or EVEX prefix, whose maps are numbered: 1 is that of two bytes.
Tail extended(unsigned map, std::uint8_t opcode) noexcept {
  if (map == 1) {
    const Tail plain = two_bytes(opcode);
    return {true, opcode != 0x77, plain.modrm ? plain.immediate_bytes : 0};
  }
  if (map == 3) return {true, true, 1};
  return map == 2 || map == 5 || map == 6 ? Tail{true, true, 0} : invalid;
}

// Of the second byte and what it asks for: a scale byte, a displacement.
std::optional<std::size_t> operand_bytes(Bytes rest) noexcept {
  if (rest.empty()) return std::nullopt;
  const auto modrm = std::to_integer<unsigned>(rest[0]);
  const unsigned mod = modrm >> 6;
  const unsigned rm = modrm & 7;
  if (mod == 3) return 1;
  std::size_t length = 1;
  unsigned base = rm;
  if (rm == 4) {
    if (rest.size() < 2) return std::nullopt;
    base = std::to_integer<unsigned>(rest[1]) & 7;
    ++length;
  }
  if (mod == 1) return length + 1;
  return mod == 2 || base == 5 ? length + 4 : length;
}

bool is_prefix(std::uint8_t byte) noexcept {
  constexpr std::uint8_t prefixes[] = {0x66, 0x67, 0xF2, 0xF3, 0xF0, 0x2E,
                                       0x36, 0x3E, 0x26, 0x64, 0x65};
  return std::find(std::begin(prefixes), std::end(prefixes), byte) != std::end(prefixes);
}

constexpr std::size_t longest_instruction = 15;

}  // namespace

std::optional<Instruction> decode(Bytes bytes) noexcept {
  bytes = bytes.first(std::min(bytes.size(), longest_instruction));
  std::size_t at = 0;
  const auto byte = [&](std::size_t index) {
    return index < bytes.size() ? std::to_integer<std::uint8_t>(bytes[index]) : std::uint8_t{0};
  };
  Instruction found;
  bool small_words = false;
  bool small_addresses = false;
  for (; at < bytes.size() && is_prefix(byte(at)); ++at) {
    small_words |= byte(at) == 0x66;
    small_addresses |= byte(at) == 0x67;
  }
  if (within(byte(at), 0x40, 0x4F)) found.rex = byte(at++);
  const bool wide = (found.rex & 8) != 0;
  const unsigned word = small_words && !wide ? 2 : 4;
  const Sizes sizes{word, wide ? 8 : word, small_addresses ? 4U : 8U};

  Tail tail;
  const std::uint8_t first = byte(at++);
  found.opcode = first;
  if (first == 0xC5 || first == 0xC4 || first == 0x62) {
    // The map is in the low bits of the first byte behind, but for C5, which has one map only.
    const unsigned map = first == 0xC5 ? 1 : byte(at) & (first == 0xC4 ? 0x1FU : 7U);
    at += first == 0xC5 ? 1 : first == 0xC4 ? 2 : 3;
    found.map = Map::other;
    found.opcode = byte(at++);
    tail = extended(map, found.opcode);
  } else if (first == 0x0F && (byte(at) == 0x38 || byte(at) == 0x3A)) {
    tail = {true, true, byte(at) == 0x3A ? 1U : 0U};
    found.map = Map::other;
    found.opcode = byte(at + 1);
    at += 2;
  } else if (first == 0x0F) {
    found.map = Map::two_bytes;
    found.opcode = byte(at++);
    tail = two_bytes(found.opcode);
  } else {
    tail = one_byte(first, sizes);
  }
  if (!tail.valid || at > bytes.size()) return std::nullopt;
  if (tail.modrm) {
    const auto operand = operand_bytes(bytes.subspan(at));
    if (!operand) return std::nullopt;
    found.has_modrm = true;
    found.modrm = byte(at);
    at += *operand;
    // test, of the group that shares this opcode.
    const bool is_test = (found.modrm >> 3 & 7) < 2;
    if (found.is(Map::one_byte, 0xF6) && is_test) tail.immediate_bytes = 1;
    if (found.is(Map::one_byte, 0xF7) && is_test) tail.immediate_bytes = word;
  }
  if (tail.immediate_bytes == 4 && at + 4 <= bytes.size()) {
    std::memcpy(&found.immediate, bytes.data() + at, 4);
  }
  at += tail.immediate_bytes;
  if (at > bytes.size()) return std::nullopt;
  found.length_bytes = static_cast<std::uint8_t>(at);
  return found;
}

}  // namespace weft::inspect
