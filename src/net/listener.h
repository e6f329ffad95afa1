// SPDX-License-Identifier: Apache-2.0
// Listening sockets: opened here, or handed over by whoever started us.
#pragma once

#include <optional>

#include "base/result.h"
#include "net/address.h"
#include "os/file.h"

namespace weft::net {

struct ListenOptions {
  int backlog = 4096;       // the kernel's own limit (somaxconn) is below that, or as large
  bool reuse_port = false;  // several of us, and the kernel shares the connections out
};

// A socket that does not block, and that programs we execute do not get. The Error says what is in
// the way, and what to do about it.
base::Result<os::Descriptor> listen_on(const Address& address, const ListenOptions& options = {});

struct Accepted {
  os::Descriptor socket;
  Address address;  // of the peer
};

// The next connection that waits: does not block, keeps nothing back (TCP_NODELAY), and programs we
// execute do not get it. Nothing: errno says why.
std::optional<Accepted> accept_connection(int listener) noexcept;

// From now on who wants to connect hears nothing, until the socket is closed and says no.
// Handshakes that have begun come to their end: so everybody who was let in can be accepted before
// closing, which would throw out those who wait. For sockets of ours alone: whoever else has it
// hears nothing either.
void take_no_handshakes(int listener) noexcept;

// Where a socket listens: the port, where the kernel chose it.
base::Result<Address> address_of(const os::Descriptor& socket);

}  // namespace weft::net
