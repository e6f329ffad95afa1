// SPDX-License-Identifier: Apache-2.0
// A timeout entry completes with ETIME, not early, and wakes the thread in io_uring_enter.
#include "ring.h"

static void body(void) {
  struct ring ring;
  if (open_ring(&ring, 4)) {
    const struct {
      int64_t seconds, nanoseconds;
    } short_time = {.nanoseconds = 20 * MILLISECOND_NS};
    const struct io_uring_sqe timeout = {
        .opcode = IORING_OP_TIMEOUT, .addr = (uintptr_t)&short_time, .len = 1};
    const int64_t began = now_ns();
    queue_entry(&ring, &timeout);
    CHECK(enter_ring(&ring, 1, 0) == 1);
    CHECK(wait_completion(&ring).res == -ETIME);
    CHECK(now_ns() - began >= 20 * MILLISECOND_NS);
    close_ring(&ring);
  }
  printf("ok\n");
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
