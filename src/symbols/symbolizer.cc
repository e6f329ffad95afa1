// SPDX-License-Identifier: Apache-2.0
// Symbols and line tables by libdwfl, which knows the modules of a process from its maps.
#include "symbols/symbolizer.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

namespace weft::symbols {

namespace {

std::string demangled(const char* name) {
  if (name == nullptr) return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return text == nullptr ? name : text.get();
}

// The function that was inlined there, which is the one that the line table names. Empty: none was,
// and the symbol table has the better name.
std::string inlined_function(Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias);
  if (unit == nullptr) return {};
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes(unit, address - bias, &scopes);
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owned(scopes, &std::free);
  for (int i = 0; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    if (tag == DW_TAG_subprogram) break;
    if (tag != DW_TAG_inlined_subroutine) continue;
    Dwarf_Attribute attribute;
    const char* name =
        dwarf_formstring(dwarf_attr_integrate(&scopes[i], DW_AT_linkage_name, &attribute));
    if (name == nullptr) name = dwarf_diename(&scopes[i]);
    if (name != nullptr) return demangled(name);
  }
  return {};
}

}  // namespace

struct Symbolizer::Session {
  pid_t process_id = 0;
  char* debug_path = nullptr;  // nullptr: the usual places
  Dwfl_Callbacks callbacks{};
  Dwfl* dwfl = nullptr;

  // 0, or minus or plus an error of libdwfl or errno.
  int report() {
    dwfl_report_begin(dwfl);
    const int error = dwfl_linux_proc_report(dwfl, process_id);
    const int ended = dwfl_report_end(dwfl, nullptr, nullptr);
    return error != 0 ? error : ended;
  }
};

void Symbolizer::EndSession::operator()(Session* session) const noexcept {
  if (session->dwfl != nullptr) dwfl_end(session->dwfl);
  delete session;
}

base::Result<Symbolizer> Symbolizer::open(pid_t process_id) {
  std::unique_ptr<Session, EndSession> session(new Session);
  session->process_id = process_id;
  session->callbacks.find_elf = dwfl_linux_proc_find_elf;
  session->callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
  session->callbacks.debuginfo_path = &session->debug_path;
  session->dwfl = dwfl_begin(&session->callbacks);
  const int error = session->dwfl == nullptr ? -1 : session->report();
  if (error == 0) return Symbolizer(std::move(session));
  const std::string reason =
      error > 0 ? std::generic_category().message(error) : dwfl_errmsg(dwfl_errno());
  return base::Error{fmt::format("cannot read which code process {} runs: {}", process_id, reason),
                     error > 0 ? error : 0};
}

base::Result<Symbolizer> Symbolizer::open_self() {
  return open(::getpid());
}

Location Symbolizer::look_up(std::uintptr_t address) {
  Location location;
  location.offset = address;
  Dwfl_Module* module = dwfl_addrmodule(session_->dwfl, address);
  if (module == nullptr) {
    session_->report();
    module = dwfl_addrmodule(session_->dwfl, address);
    if (module == nullptr) return location;
  }
  Dwarf_Addr start = 0;
  const char* const path =
      dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, nullptr, nullptr);
  location.module = path == nullptr ? "" : path;
  location.offset = address - start;

  location.function = inlined_function(module, address);
  if (location.function.empty()) {
    GElf_Off offset = 0;
    GElf_Sym symbol;
    location.function = demangled(
        dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr));
  }
  if (Dwfl_Line* const line = dwfl_module_getsrc(module, address)) {
    const char* const file =
        dwfl_lineinfo(line, nullptr, &location.line, nullptr, nullptr, nullptr);
    location.file = file == nullptr ? "" : file;
  }
  return location;
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string describe(const Location& location) {
  const std::string place =
      location.module.empty()
          ? fmt::format("{:#x}", location.offset)
          : fmt::format("{}+{:#x}", file_name(location.module), location.offset);
  if (!location.file.empty() && location.line != 0) {
    const std::string line = fmt::format("{}:{}", file_name(location.file), location.line);
    return location.function.empty() ? line : fmt::format("{} at {}", location.function, line);
  }
  return location.function.empty() ? place : fmt::format("{} in {}", location.function, place);
}

}  // namespace weft::symbols
