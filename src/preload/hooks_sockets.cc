// SPDX-License-Identifier: Apache-2.0
// Sockets: tried without blocking, then waited for.
#include <sys/socket.h>
#include <sys/syscall.h>

#include "os/socket_option.h"
#include "os/system_call.h"
#include "preload/calls.h"
#include "preload/real.h"
#include "preload/renewed.h"
#include "sched/io.h"

namespace weft::preload {

SocketRestarts::operator Restarts() const noexcept {
  const bool has_limit = os::socket_time_limit(descriptor, option).count() != 0;
  return has_limit ? Restarts::no : Restarts::yes;
}

namespace {

SocketRestarts receiving(int descriptor) {
  return {.descriptor = descriptor, .option = SO_RCVTIMEO};
}
SocketRestarts sending(int descriptor) {
  return {.descriptor = descriptor, .option = SO_SNDTIMEO};
}

}  // namespace
}  // namespace weft::preload

using namespace weft;
using namespace weft::preload;

extern "C" {

ssize_t recv(int descriptor, void* buffer, size_t bytes, int flags) {
  return blocking_call([&] { return sched::receive(descriptor, buffer, bytes, flags); },
                       [&] { return WEFT_REAL(recv)(descriptor, buffer, bytes, flags); },
                       receiving(descriptor));
}

ssize_t recvfrom(int descriptor, void* buffer, size_t bytes, int flags, sockaddr* address,
                 socklen_t* address_bytes) {
  return blocking_call(
      [&] {
        if (address == nullptr) return sched::receive(descriptor, buffer, bytes, flags);
        return sched::transfer_message(descriptor, sched::Direction::read, flags, [&](int how) {
          return os::call(SYS_recvfrom, descriptor, buffer, bytes, how, address, address_bytes);
        });
      },
      [&] { return WEFT_REAL(recvfrom)(descriptor, buffer, bytes, flags, address, address_bytes); },
      receiving(descriptor));
}

ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
  return received_renewed(
      blocking_call([&] { return sched::receive_message(descriptor, message, flags); },
                    [&] { return WEFT_REAL(recvmsg)(descriptor, message, flags); },
                    receiving(descriptor)),
      message);
}

ssize_t send(int descriptor, const void* buffer, size_t bytes, int flags) {
  return writing_call([&] { return sched::send(descriptor, buffer, bytes, flags); },
                      [&] { return WEFT_REAL(send)(descriptor, buffer, bytes, flags); }, flags,
                      sending(descriptor));
}

ssize_t sendto(int descriptor, const void* buffer, size_t bytes, int flags, const sockaddr* address,
               socklen_t address_bytes) {
  return writing_call(
      [&] {
        if (address == nullptr) return sched::send(descriptor, buffer, bytes, flags);
        return sched::transfer_message(descriptor, sched::Direction::write, flags, [&](int how) {
          return os::call(SYS_sendto, descriptor, buffer, bytes, how, address,
                          std::size_t{address_bytes});
        });
      },
      [&] { return WEFT_REAL(sendto)(descriptor, buffer, bytes, flags, address, address_bytes); },
      flags, sending(descriptor));
}

ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  return writing_call([&] { return sched::send_message(descriptor, message, flags); },
                      [&] { return WEFT_REAL(sendmsg)(descriptor, message, flags); }, flags,
                      sending(descriptor));
}

int accept(int descriptor, sockaddr* address, socklen_t* address_bytes) {
  return renewed(
      blocking_call([&] { return sched::accept(descriptor, address, address_bytes, 0); },
                    [&] { return WEFT_REAL(accept)(descriptor, address, address_bytes); },
                    receiving(descriptor)));
}

int accept4(int descriptor, sockaddr* address, socklen_t* address_bytes, int flags) {
  return renewed(
      blocking_call([&] { return sched::accept(descriptor, address, address_bytes, flags); },
                    [&] { return WEFT_REAL(accept4)(descriptor, address, address_bytes, flags); },
                    receiving(descriptor)));
}

int connect(int descriptor, const sockaddr* address, socklen_t address_bytes) {
  return home_call("connect",
                   [&] { return WEFT_REAL(connect)(descriptor, address, address_bytes); });
}

int setsockopt(int descriptor, int level, int option, const void* value,
               socklen_t value_bytes) noexcept {
  return answer<int>(sched::set_option(descriptor, level, option, value, value_bytes));
}

}  // extern "C"
