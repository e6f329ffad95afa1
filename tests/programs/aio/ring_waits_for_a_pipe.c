// SPDX-License-Identifier: Apache-2.0
// A thread that waits in io_uring_enter for a pipe read does not keep the writer from running.
#include "ring.h"

static int ends[2];

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(ends[1], "through the ring", 16) == 16);
  return NULL;
}

static void body(void) {
  struct ring ring;
  char text[32] = "";
  CHECK(pipe(ends) == 0);
  const pthread_t writer = start(write_later, NULL);
  if (open_ring(&ring, 4)) {
    const struct io_uring_sqe read_entry = {.opcode = IORING_OP_READ,
                                            .fd = ends[0],
                                            .addr = (uintptr_t)text,
                                            .len = sizeof text - 1,
                                            .off = UINT64_MAX};
    queue_entry(&ring, &read_entry);
    CHECK(enter_ring(&ring, 1, 0) == 1);
    CHECK(wait_completion(&ring).res == 16);
    close_ring(&ring);
  } else {
    CHECK(read(ends[0], text, sizeof text - 1) == 16);
  }
  finish(writer);
  printf("%s\n", text);
  close(ends[0]);
  close(ends[1]);
}

static void* body_in_thread(void* index) {
  int own_ends[2];
  struct ring ring;
  CHECK(pipe(own_ends) == 0);
  if (open_ring(&ring, 4)) {
    char byte = 0;
    const struct io_uring_sqe read_entry = {.opcode = IORING_OP_READ,
                                            .fd = own_ends[0],
                                            .addr = (uintptr_t)&byte,
                                            .len = 1,
                                            .off = UINT64_MAX};
    queue_entry(&ring, &read_entry);
    CHECK(enter_ring(&ring, 1, 0) == 1);
    const char sent = (char)('a' + (intptr_t)index);
    CHECK(write(own_ends[1], &sent, 1) == 1);
    CHECK(wait_completion(&ring).res == 1 && byte == sent);
    close_ring(&ring);
  }
  close(own_ends[0]);
  close(own_ends[1]);
  return NULL;
}

int main(void) {
  in_main_and_thread(body);
  in_threads(6, body_in_thread);
  return 0;
}
