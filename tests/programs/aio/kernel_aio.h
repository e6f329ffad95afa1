// SPDX-License-Identifier: Apache-2.0
// The system calls of kernel AIO as libaio makes them, so that no library is needed.
#pragma once

#include "../io_support.h"

#include <linux/aio_abi.h>
#include <sys/syscall.h>

static inline aio_context_t new_context(unsigned events) {
  aio_context_t context = 0;
  CHECK(syscall(SYS_io_setup, events, &context) == 0);
  return context;
}

static inline long submit(aio_context_t context, long count, struct iocb** requests) {
  return syscall(SYS_io_submit, context, count, requests);
}

static inline long get_events(aio_context_t context, long minimum, long maximum,
                              struct io_event* events, struct timespec* timeout) {
  return syscall(SYS_io_getevents, context, minimum, maximum, events, timeout);
}

static inline void end_context(aio_context_t context) {
  CHECK(syscall(SYS_io_destroy, context) == 0);
}

static inline struct iocb request(int operation, int fd, void* buffer, size_t bytes, long offset) {
  return (struct iocb){.aio_lio_opcode = (uint16_t)operation,
                       .aio_fildes = (uint32_t)fd,
                       .aio_buf = (uintptr_t)buffer,
                       .aio_nbytes = bytes,
                       .aio_offset = offset};
}
