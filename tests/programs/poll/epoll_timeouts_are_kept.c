// SPDX-License-Identifier: Apache-2.0
// epoll_wait, epoll_pwait and epoll_pwait2 do not return before their timeout.
#include "../io_support.h"

#include <sys/epoll.h>

static void body(void) {
  const int epoll = epoll_create1(0);
  struct epoll_event event;
  int64_t began = now_ns();
  show("epoll_wait", epoll_wait(epoll, &event, 1, 25));
  CHECK(now_ns() - began >= 25 * MILLISECOND_NS);
  began = now_ns();
  show("epoll_pwait", epoll_pwait(epoll, &event, 1, 15, NULL));
  CHECK(now_ns() - began >= 15 * MILLISECOND_NS);
  began = now_ns();
  const struct timespec timeout = timespec_of_ns(10 * MILLISECOND_NS + 500000);
  show("epoll_pwait2", epoll_pwait2(epoll, &event, 1, &timeout, NULL));
  CHECK(now_ns() - began >= 10 * MILLISECOND_NS + 500000);
  const struct timespec none = {0, 0};
  show("at once", epoll_pwait2(epoll, &event, 1, &none, NULL));
  close(epoll);
}

static void* body_in_thread(void* unused) {
  (void)unused;
  const int epoll = epoll_create1(0);
  struct epoll_event event;
  const int64_t began = now_ns();
  CHECK(epoll_wait(epoll, &event, 1, 30) == 0);
  CHECK(now_ns() - began >= 30 * MILLISECOND_NS);
  close(epoll);
  return NULL;
}

int main(void) {
  in_main_and_thread(body);
  in_threads(50, body_in_thread);
  return 0;
}
