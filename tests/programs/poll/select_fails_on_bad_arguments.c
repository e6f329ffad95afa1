// SPDX-License-Identifier: Apache-2.0
// select fails with EBADF for a closed descriptor and EINVAL for bad counts and times.
#include "../io_support.h"

#include <sys/select.h>

static void body(void) {
  fd_set reading;
  FD_ZERO(&reading);
  int ends[2];
  CHECK(pipe(ends) == 0);
  FD_SET(ends[0], &reading);
  close(ends[0]);
  close(ends[1]);
  show("closed", select(ends[0] + 1, &reading, NULL, NULL, NULL));
  show("negative count", select(-1, &reading, NULL, NULL, NULL));
  struct timeval wrong = {.tv_sec = -1};
  show("negative time", select(0, NULL, NULL, NULL, &wrong));
  const struct timespec too_many_ns = {.tv_nsec = 1000000000};
  show("too many nanoseconds", pselect(0, NULL, NULL, NULL, &too_many_ns, NULL));
  const int64_t began = now_ns();
  struct timeval pause = {.tv_usec = 15000};
  show("as a sleep", select(0, NULL, NULL, NULL, &pause));
  CHECK(now_ns() - began >= 15 * MILLISECOND_NS);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
