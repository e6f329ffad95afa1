// SPDX-License-Identifier: Apache-2.0
// Input and output that stops a fiber, and not the kernel thread under it.
//
// Each does what the system call of its name does, O_NONBLOCK included, answers what that
// does, and sets errno; the descriptor's flags are left alone. SO_RCVTIMEO and SO_SNDTIMEO hold,
// and so do MSG_DONTWAIT and MSG_WAITALL. Time-outs are changed with setsockopt() from here: a
// socket is asked for them when it is first waited for, and not each time.
//
// A descriptor that fibers have waited for is closed with close() from here, by a fiber or any
// other thread: who waits for it is told (EBADF), and its number may come again.
//
// Where the peer is closed, send() and write() answer EPIPE. A fiber gets no SIGPIPE with it:
// send() asks for none, and what write() raises stays with a kernel thread that blocks all signals.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>

namespace weft::fiber_io {

ssize_t read(int descriptor, void* buffer, std::size_t bytes) noexcept;
ssize_t write(int descriptor, const void* buffer, std::size_t bytes) noexcept;
ssize_t recv(int descriptor, void* buffer, std::size_t bytes, int flags) noexcept;
ssize_t send(int descriptor, const void* buffer, std::size_t bytes, int flags) noexcept;
int accept4(int descriptor, sockaddr* address, socklen_t* address_bytes, int flags) noexcept;
int connect(int descriptor, const sockaddr* address, socklen_t address_bytes) noexcept;
int setsockopt(int descriptor, int level, int option, const void* value,
               socklen_t value_bytes) noexcept;
int close(int descriptor) noexcept;

// A negative time-out waits for ever.
int poll(pollfd* descriptors, std::size_t count, std::chrono::milliseconds timeout) noexcept;

// Files. What is not in the page cache is read, and everything is written, at home.
ssize_t pread(int descriptor, void* buffer, std::size_t bytes, off_t offset) noexcept;
ssize_t pwrite(int descriptor, const void* buffer, std::size_t bytes, off_t offset) noexcept;
int fsync(int descriptor) noexcept;

}  // namespace weft::fiber_io
