// SPDX-License-Identifier: Apache-2.0
// CancelTarget: how the statements of one connection are cancelled on its server.
#pragma once

#include "os/file.h"

namespace weft::sql {

// May outlive the connection. The socket that it shuts down is a duplicate of the driver's, and is
// closed by nobody else.
class CancelTarget {
 public:
  // Of the driver's socket.
  explicit CancelTarget(int socket);
  virtual ~CancelTarget() = default;
  CancelTarget(const CancelTarget&) = delete;
  CancelTarget& operator=(const CancelTarget&) = delete;

  // Sends the server's own kind of cancel, and waits until the server has taken it; true then. May
  // hang.
  virtual bool send() noexcept = 0;
  // Ends whatever the driver waits for, and the connection. Does not block.
  void shut_down() noexcept;
  // The other side has closed, or sent what was not asked for.
  bool has_hung_up() const noexcept;

 private:
  const os::Descriptor socket_;
};

}  // namespace weft::sql
