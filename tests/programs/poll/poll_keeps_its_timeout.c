// SPDX-License-Identifier: Apache-2.0
// poll returns 0 at once for timeout 0, and not before the time for a finite one.
#include "../io_support.h"

#include <poll.h>

static void body(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  struct pollfd wanted = {.fd = ends[0], .events = POLLIN, .revents = POLLIN};
  show("at once", poll(&wanted, 1, 0));
  printf("revents %d\n", wanted.revents);
  int64_t began = now_ns();
  show("30 ms", poll(&wanted, 1, 30));
  CHECK(now_ns() - began >= 30 * MILLISECOND_NS);
  began = now_ns();
  const struct timespec timeout = timespec_of_ns(25 * MILLISECOND_NS);
  show("ppoll", ppoll(&wanted, 1, &timeout, NULL));
  CHECK(now_ns() - began >= 25 * MILLISECOND_NS);
  began = now_ns();
  show("nothing to wait for", poll(NULL, 0, 20));
  CHECK(now_ns() - began >= 20 * MILLISECOND_NS);
  const struct timespec wrong = {.tv_nsec = 2000000000};
  show("bad time", ppoll(&wanted, 1, &wrong, NULL));
  CHECK(write(ends[1], "x", 1) == 1);
  show("ready", poll(&wanted, 1, 20000));
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
