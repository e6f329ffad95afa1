// SPDX-License-Identifier: Apache-2.0
// Names that only programs compiled with _FORTIFY_SOURCE know, and no header declares otherwise.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <ctime>

extern "C" {

ssize_t __read_chk(int descriptor, void* buffer, std::size_t bytes, std::size_t buffer_bytes);
ssize_t __pread_chk(int descriptor, void* buffer, std::size_t bytes, off_t offset,
                    std::size_t buffer_bytes);
ssize_t __pread64_chk(int descriptor, void* buffer, std::size_t bytes, off64_t offset,
                      std::size_t buffer_bytes);
ssize_t __recv_chk(int descriptor, void* buffer, std::size_t bytes, std::size_t buffer_bytes,
                   int flags);
ssize_t __recvfrom_chk(int descriptor, void* buffer, std::size_t bytes, std::size_t buffer_bytes,
                       int flags, sockaddr* address, socklen_t* address_bytes);
int __poll_chk(pollfd* descriptors, nfds_t count, int milliseconds, std::size_t bytes);
int __ppoll_chk(pollfd* descriptors, nfds_t count, const timespec* time, const sigset_t* mask,
                std::size_t bytes);
[[noreturn]] void __longjmp_chk(__jmp_buf_tag place[1], int value);
int __open_2(const char* path, int flags);
int __open64_2(const char* path, int flags);
int __openat_2(int directory, const char* path, int flags);
int __openat64_2(int directory, const char* path, int flags);

}  // extern "C"
