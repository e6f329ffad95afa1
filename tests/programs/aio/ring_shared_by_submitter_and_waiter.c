// SPDX-License-Identifier: Apache-2.0
// One thread waits in io_uring_enter for completions of writes and syncs that another submits.
#include "ring.h"

enum { WRITES = 100, BYTES = 512 };
static struct ring ring;
static int file;
static char block[BYTES];

static void* wait_for_all(void* unused) {
  (void)unused;
  long total = 0;
  for (int i = 0; i < 2 * WRITES; ++i) {
    const struct completion completion = wait_completion(&ring);
    CHECK(completion.res == (completion.user_data == 1 ? BYTES : 0));
    total += completion.res;
  }
  return (void*)total;
}

static void* submit_all(void* unused) {
  (void)unused;
  for (int i = 0; i < WRITES; ++i) {
    const struct io_uring_sqe write_entry = {.opcode = IORING_OP_WRITE,
                                             .fd = file,
                                             .addr = (uintptr_t)block,
                                             .len = BYTES,
                                             .off = (uint64_t)(i * BYTES),
                                             .user_data = 1};
    queue_entry(&ring, &write_entry);
    CHECK(enter_ring(&ring, 1, 0) == 1);
    const struct io_uring_sqe sync_entry = {.opcode = IORING_OP_FSYNC,
                                            .fd = file,
                                            .fsync_flags = IORING_FSYNC_DATASYNC,
                                            .user_data = 2};
    queue_entry(&ring, &sync_entry);
    CHECK(enter_ring(&ring, 1, 0) == 1);
    if (i % 20 == 0) sleep_ms(1);
  }
  return NULL;
}

int main(void) {
  file = temporary_file();
  long total = WRITES * BYTES;
  // The completion queue must hold what is not yet taken.
  if (open_ring(&ring, 256)) {
    const pthread_t waiter = start(wait_for_all, NULL);
    let_it_block();
    finish(start(submit_all, NULL));
    total = (long)finish(waiter);
    close_ring(&ring);
  }
  printf("%ld bytes\n", total);
  return 0;
}
