// SPDX-License-Identifier: Apache-2.0
// io_uring, where permitted, completes thousands of no-ops in order of their numbers.
#include "ring.h"

static void body(void) {
  struct ring ring;
  if (open_ring(&ring, 8)) {
    for (uint64_t i = 0; i < 2000; ++i) {
      const struct io_uring_sqe nop = {.opcode = IORING_OP_NOP, .user_data = i};
      queue_entry(&ring, &nop);
      CHECK(enter_ring(&ring, 1, 1) == 1);
      const struct completion completion = wait_completion(&ring);
      CHECK(completion.user_data == i && completion.res == 0);
    }
    close_ring(&ring);
  }
  printf("ok\n");
}

static void* body_in_thread(void* unused) {
  (void)unused;
  struct ring ring;
  if (open_ring(&ring, 8)) {
    const struct io_uring_sqe nop = {.opcode = IORING_OP_NOP};
    queue_entry(&ring, &nop);
    CHECK(enter_ring(&ring, 1, 1) == 1);
    CHECK(wait_completion(&ring).res == 0);
    close_ring(&ring);
  }
  return NULL;
}

int main(void) {
  in_main_and_thread(body);
  in_threads(8, body_in_thread);
  return 0;
}
