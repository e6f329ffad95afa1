// SPDX-License-Identifier: Apache-2.0
// A recv with MSG_WAITALL that a signal interrupts returns the bytes that had come.
#include "../io_support.h"

static int ends[2];
static atomic_bool returned;

static void* receive_all(void* unused) {
  (void)unused;
  char buffer[100];
  show("recv", recv(ends[0], buffer, sizeof buffer, MSG_WAITALL));
  atomic_store(&returned, true);
  return NULL;
}

static void interrupt(void) {
  atomic_store(&returned, false);
  CHECK(write(ends[1], "seven b", 7) == 7);
  const pthread_t receiver = start(receive_all, NULL);
  // A signal that comes before the recv waits is lost on it, hence more than one.
  while (!atomic_load(&returned)) {
    sleep_ms(20);
    if (!atomic_load(&returned)) CHECK(pthread_kill(receiver, SIGUSR1) == 0);
  }
  finish(receiver);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  handle_signal(SIGUSR1, ignore_signal, 0);
  tcp_pair(ends);
  interrupt();
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  interrupt();
  return 0;
}
