// SPDX-License-Identifier: Apache-2.0
// System calls that code makes by itself.
#include "inspect/system_calls.h"

#include <sys/syscall.h>

#include <algorithm>
#include <array>

#include "inspect/instruction.h"

namespace weft::inspect {
namespace {

using Map = Instruction::Map;

struct Waiting {
  long number;
  const char* name;
};

// Calls in which a thread may wait for something other than the processor.
constexpr Waiting waiting[] = {
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_readv, "readv"},
    {SYS_writev, "writev"},
    {SYS_pread64, "pread64"},
    {SYS_pwrite64, "pwrite64"},
    {SYS_preadv, "preadv"},
    {SYS_pwritev, "pwritev"},
    {SYS_preadv2, "preadv2"},
    {SYS_pwritev2, "pwritev2"},
    {SYS_sendfile, "sendfile"},
    {SYS_splice, "splice"},
    {SYS_open, "open"},
    {SYS_openat, "openat"},
    {SYS_fsync, "fsync"},
    {SYS_fdatasync, "fdatasync"},
    {SYS_sync_file_range, "sync_file_range"},
    {SYS_flock, "flock"},
    {SYS_fcntl, "fcntl"},
    {SYS_ioctl, "ioctl"},
    {SYS_poll, "poll"},
    {SYS_ppoll, "ppoll"},
    {SYS_select, "select"},
    {SYS_pselect6, "pselect6"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_epoll_pwait2, "epoll_pwait2"},
    {SYS_accept, "accept"},
    {SYS_accept4, "accept4"},
    {SYS_connect, "connect"},
    {SYS_sendto, "sendto"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_sendmmsg, "sendmmsg"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_recvmmsg, "recvmmsg"},
    {SYS_futex, "futex"},
    {SYS_futex_waitv, "futex_waitv"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_pause, "pause"},
    {SYS_rt_sigsuspend, "rt_sigsuspend"},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_io_getevents, "io_getevents"},
    {SYS_io_pgetevents, "io_pgetevents"},
    {SYS_io_uring_enter, "io_uring_enter"},
    {SYS_semop, "semop"},
    {SYS_semtimedop, "semtimedop"},
    {SYS_msgsnd, "msgsnd"},
    {SYS_msgrcv, "msgrcv"},
    {SYS_mq_timedsend, "mq_timedsend"},
    {SYS_mq_timedreceive, "mq_timedreceive"},
};

const Waiting* find_waiting(long number) noexcept {
  const auto* const found =
      std::find_if(std::begin(waiting), std::end(waiting),
                   [&](const Waiting& entry) { return entry.number == number; });
  return found != std::end(waiting) ? found : nullptr;
}

// What registers hold, as far as constants were put into them. Writes of other kinds are not
// followed, but a value that is long ago does not count.
class Constants {
 public:
  void see(const Instruction& instruction) noexcept {
    ++step_;
    if (instruction.map != Map::one_byte) return;
    const std::uint8_t opcode = instruction.opcode;
    if (opcode >= 0xB8 && opcode <= 0xBF && instruction.length_bytes < 9) {
      put((opcode & 7U) | (instruction.rex & 1U) << 3, instruction.immediate);
    } else if (opcode == 0xC7 && instruction.between_registers()) {
      put(instruction.rm(), instruction.immediate);
    } else if ((opcode == 0x31 || opcode == 0x33) && instruction.between_registers()) {
      if (instruction.reg() == instruction.rm()) {
        put(instruction.rm(), 0);
      } else {
        forget(opcode == 0x31 ? instruction.rm() : instruction.reg());
      }
    } else if (opcode == 0x89 && instruction.between_registers()) {
      values_[instruction.rm()] = values_[instruction.reg()];
    } else if (opcode == 0x8B) {
      if (instruction.between_registers()) {
        values_[instruction.reg()] = values_[instruction.rm()];
      } else {
        forget(instruction.reg());
      }
    } else if (opcode == 0xE8 || (opcode == 0xFF && instruction.reg() == 2)) {
      values_.fill({});
    }
  }

  // The number of a system call is in rax, which holds the answer afterwards.
  std::optional<long> take_number() noexcept {
    const Value value = values_[0];
    forget(0);
    if (!value.known || step_ - value.step > longest_ago || value.constant < 0 ||
        value.constant > largest_number) {
      return std::nullopt;
    }
    return value.constant;
  }

 private:
  static constexpr unsigned longest_ago = 64;  // instructions
  static constexpr std::int32_t largest_number = 1'023;

  struct Value {
    bool known = false;
    std::int32_t constant = 0;
    unsigned step = 0;
  };

  void put(unsigned reg, std::int32_t constant) noexcept { values_[reg] = {true, constant, step_}; }
  void forget(unsigned reg) noexcept { values_[reg] = {}; }

  std::array<Value, 16> values_{};
  unsigned step_ = 0;
};

// The last symbol at or before the address.
const Symbol* nearest(const std::vector<Symbol>& symbols, std::uint64_t address) {
  const auto next = std::upper_bound(
      symbols.begin(), symbols.end(), address,
      [](std::uint64_t value, const Symbol& symbol) { return value < symbol.address; });
  return next == symbols.begin() ? nullptr : &*(next - 1);
}

void search(const Code& code, const std::vector<Symbol>& symbols,
            std::vector<SystemCallSite>& sites) {
  // Names say for certain where an instruction begins; what precedes them may be data.
  auto next_name = std::lower_bound(
      symbols.begin(), symbols.end(), code.address,
      [](const Symbol& symbol, std::uint64_t value) { return symbol.address < value; });
  Constants constants;
  for (std::size_t at = 0; at < code.bytes.size();) {
    const std::uint64_t address = code.address + at;
    while (next_name != symbols.end() && next_name->address <= address) ++next_name;
    const auto instruction = decode(code.bytes.subspan(at));
    const std::size_t length = instruction ? instruction->length_bytes : 1;
    if (next_name != symbols.end() && next_name->address < address + length) {
      at = next_name->address - code.address;
      constants = {};
      continue;
    }
    at += length;
    if (!instruction) continue;
    constants.see(*instruction);
    if (!instruction->is_system_call()) continue;
    const Symbol* const symbol = nearest(symbols, address);
    SystemCallSite& site = sites.emplace_back();
    site.address = address;
    site.number = constants.take_number();
    if (symbol == nullptr) continue;
    site.function = symbol->name;
    site.inside = address - symbol->address < symbol->size_bytes;
  }
}

}  // namespace

std::vector<SystemCallSite> find_system_calls(const Elf& elf) {
  const auto symbols = elf.symbols();
  std::vector<SystemCallSite> sites;
  for (const Code& code : elf.code()) search(code, symbols, sites);
  std::sort(sites.begin(), sites.end(), [](const SystemCallSite& one, const SystemCallSite& other) {
    return one.address < other.address;
  });
  return sites;
}

std::string system_call_name(long number) {
  const Waiting* const found = find_waiting(number);
  return found != nullptr ? found->name : "system call " + std::to_string(number);
}

bool may_wait(const SystemCallSite& site) noexcept {
  return !site.number || find_waiting(*site.number) != nullptr;
}

}  // namespace weft::inspect
