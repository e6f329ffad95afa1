// SPDX-License-Identifier: Apache-2.0
// What a program or library says of itself.
#include "inspect/elf.h"

#include <algorithm>
#include <cstring>

namespace weft::inspect {
namespace {

// The part of the bytes that is there; empty where it is not there whole.
Bytes part(Bytes bytes, std::uint64_t offset, std::uint64_t size_bytes) noexcept {
  if (offset > bytes.size() || size_bytes > bytes.size() - offset) return {};
  return bytes.subspan(offset, size_bytes);
}

template <class Record>
std::optional<Record> record_at(Bytes bytes, std::uint64_t offset) noexcept {
  const Bytes found = part(bytes, offset, sizeof(Record));
  if (found.empty()) return std::nullopt;
  Record record;
  std::memcpy(&record, found.data(), sizeof record);
  return record;
}

// Records in a row, as many as are there whole.
template <class Record>
std::vector<Record> records(Bytes bytes) {
  std::vector<Record> list(bytes.size() / sizeof(Record));
  if (!list.empty()) std::memcpy(list.data(), bytes.data(), list.size() * sizeof(Record));
  return list;
}

// The text up to its NUL; empty where none ends it.
std::string_view text_at(Bytes bytes, std::uint64_t offset) noexcept {
  if (offset >= bytes.size()) return {};
  const auto* const begin = reinterpret_cast<const char*>(bytes.data()) + offset;
  const auto* const end = static_cast<const char*>(std::memchr(begin, '\0', bytes.size() - offset));
  if (end == nullptr) return {};
  return {begin, static_cast<std::size_t>(end - begin)};
}

constexpr std::size_t most_program_headers = 4'096;  // far beyond any that a linker makes

}  // namespace

bool is_elf(Bytes bytes) noexcept {
  return bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

base::Result<Elf> Elf::parse(Bytes bytes) {
  if (!is_elf(bytes)) return base::Error{"does not begin as an ELF file does"};
  // The first words are the same for 32 and 64 bits.
  const auto start = record_at<Elf32_Ehdr>(bytes, 0);
  if (!start) return base::Error{"ends within its ELF header"};
  Elf elf(bytes);
  elf.is_64_bit_ = start->e_ident[EI_CLASS] == ELFCLASS64;
  if (start->e_ident[EI_DATA] != ELFDATA2LSB) return elf;
  elf.machine_ = start->e_machine;
  elf.type_ = start->e_type;
  if (!elf.is_x86_64()) return elf;

  const auto header = record_at<Elf64_Ehdr>(bytes, 0);
  if (!header) return base::Error{"ends within its ELF header"};
  if (auto done = elf.read_segments(*header); !done) return done.error();
  elf.read_sections(*header);
  elf.read_dynamic();
  return elf;
}

base::Status Elf::read_segments(const Elf64_Ehdr& header) {
  if (header.e_phnum == 0) return base::Done{};
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > most_program_headers) {
    return base::Error{"has program headers of a strange form"};
  }
  const Bytes table = part(bytes_, header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr));
  if (table.empty()) return base::Error{"ends before its program headers"};
  segments_ = records<Elf64_Phdr>(table);
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == PT_LOAD && segment.p_filesz != 0 &&
        part(bytes_, segment.p_offset, segment.p_filesz).empty()) {
      return base::Error{"ends before the end of a segment that is to be loaded"};
    }
    if (segment.p_type == PT_INTERP) {
      loader_ = text_at(part(bytes_, segment.p_offset, segment.p_filesz), 0);
    }
    if (segment.p_type == PT_DYNAMIC) {
      dynamic_ = records<Elf64_Dyn>(part(bytes_, segment.p_offset, segment.p_filesz));
    }
  }
  return base::Done{};
}

void Elf::read_sections(const Elf64_Ehdr& header) {
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return;
  sections_ =
      records<Elf64_Shdr>(part(bytes_, header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr)));
  if (header.e_shstrndx < sections_.size()) section_names_ = content(sections_[header.e_shstrndx]);
}

void Elf::read_dynamic() {
  const auto end = std::find_if(dynamic_.begin(), dynamic_.end(),
                                [](const Elf64_Dyn& entry) { return entry.d_tag == DT_NULL; });
  dynamic_.erase(end, dynamic_.end());
  Bytes texts;
  for (const Elf64_Dyn& entry : dynamic_) {
    if (entry.d_tag == DT_STRTAB) texts = at_address(entry.d_un.d_ptr);
  }
  for (const Elf64_Dyn& entry : dynamic_) {
    if (entry.d_tag == DT_NEEDED) needed_.emplace_back(text_at(texts, entry.d_un.d_val));
    if (entry.d_tag == DT_SONAME) own_name_ = text_at(texts, entry.d_un.d_val);
  }
}

// From the address to the end of its segment.
Bytes Elf::at_address(std::uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const std::uint64_t offset = address - segment.p_vaddr;
    if (offset >= segment.p_filesz) continue;
    return part(bytes_, segment.p_offset, segment.p_filesz).subspan(offset);
  }
  return {};
}

Bytes Elf::content(const Elf64_Shdr& section) const {
  if (section.sh_type == SHT_NOBITS) return {};
  return part(bytes_, section.sh_offset, section.sh_size);
}

std::string_view Elf::section_name(const Elf64_Shdr& section) const {
  return text_at(section_names_, section.sh_name);
}

bool Elf::has_section(std::string_view name) const {
  return std::any_of(sections_.begin(), sections_.end(),
                     [&](const Elf64_Shdr& section) { return section_name(section) == name; });
}

std::vector<Code> Elf::code() const {
  std::vector<Code> all;
  // By sections where there are any: a segment holds more than instructions.
  for (const Elf64_Shdr& section : sections_) {
    if ((section.sh_flags & SHF_EXECINSTR) == 0) continue;
    if (const Bytes found = content(section); !found.empty()) {
      all.push_back({section.sh_addr, found});
    }
  }
  if (!all.empty()) return all;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    if (const Bytes found = part(bytes_, segment.p_offset, segment.p_filesz); !found.empty()) {
      all.push_back({segment.p_vaddr, found});
    }
  }
  return all;
}

const Elf64_Shdr* Elf::find_section(unsigned type) const noexcept {
  const auto found =
      std::find_if(sections_.begin(), sections_.end(),
                   [&](const Elf64_Shdr& section) { return section.sh_type == type; });
  return found != sections_.end() ? &*found : nullptr;
}

Bytes Elf::names_of(const Elf64_Shdr& symbol_table) const {
  return symbol_table.sh_link < sections_.size() ? content(sections_[symbol_table.sh_link])
                                                 : Bytes{};
}

bool Elf::imports(std::string_view name) const {
  const Elf64_Shdr* const table = find_section(SHT_DYNSYM);
  if (table == nullptr) return false;
  const Bytes names = names_of(*table);
  const auto entries = records<Elf64_Sym>(content(*table));
  return std::any_of(entries.begin(), entries.end(), [&](const Elf64_Sym& entry) {
    return entry.st_shndx == SHN_UNDEF && text_at(names, entry.st_name) == name;
  });
}

std::vector<Symbol> Elf::symbols() const {
  const Elf64_Shdr* table = find_section(SHT_SYMTAB);
  if (table == nullptr) table = find_section(SHT_DYNSYM);
  if (table == nullptr) return {};
  const Bytes names = names_of(*table);
  std::vector<Symbol> all;
  for (const auto& entry : records<Elf64_Sym>(content(*table))) {
    if (ELF64_ST_TYPE(entry.st_info) != STT_FUNC || entry.st_shndx == SHN_UNDEF) continue;
    const std::string_view name = text_at(names, entry.st_name);
    if (!name.empty()) all.push_back({entry.st_value, entry.st_size, name});
  }
  std::sort(all.begin(), all.end(),
            [](const Symbol& one, const Symbol& other) { return one.address < other.address; });
  return all;
}

std::string architecture_name(const Elf& elf) {
  switch (elf.machine()) {
    case EM_X86_64:
      return elf.is_64_bit() ? "x86-64" : "x86-64 with 32-bit pointers (x32)";
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "arm64";
    case EM_ARM:
      return "32-bit ARM";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "PowerPC";
    case EM_S390:
      return "S/390";
    case EM_NONE:
      return "a big-endian processor";
    default:
      return "machine " + std::to_string(elf.machine());
  }
}

}  // namespace weft::inspect
