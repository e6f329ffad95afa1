// SPDX-License-Identifier: Apache-2.0
// A recv with a timeout fails with EINTR on a signal even with SA_RESTART; one without goes on.
#include "../io_support.h"

#include <sys/time.h>

static int ends[2];
static atomic_int handled;
static atomic_bool returned;

static void count(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}

static void* wait_for_data(void* unused) {
  (void)unused;
  char byte;
  show("recv", recv(ends[0], &byte, 1, 0));
  atomic_store(&returned, true);
  return NULL;
}

int main(void) {
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  handle_signal(SIGUSR1, count, SA_RESTART);
  pthread_t waiter = start(wait_for_data, NULL);
  for (int i = 1; i <= 3; ++i) {
    sleep_ms(10);
    CHECK(pthread_kill(waiter, SIGUSR1) == 0);
    while (atomic_load(&handled) < i) sleep_ms(1);
  }
  CHECK(write(ends[1], "x", 1) == 1);
  finish(waiter);
  const struct timeval timeout = {.tv_sec = 25};
  CHECK(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0);
  atomic_store(&returned, false);
  waiter = start(wait_for_data, NULL);
  // A signal that comes before the recv waits is lost on it, hence more than one.
  while (!atomic_load(&returned)) {
    sleep_ms(20);
    if (!atomic_load(&returned)) CHECK(pthread_kill(waiter, SIGUSR1) == 0);
  }
  finish(waiter);
  return 0;
}
