// SPDX-License-Identifier: Apache-2.0
// shutdown of a listening socket makes every waiting accept fail with EINVAL.
#include "../io_support.h"

enum { WAITERS = 4 };
static int listener;

static void* wait_in_accept(void* unused) {
  (void)unused;
  CHECK(accept(listener, NULL, NULL) == -1);
  return (void*)(intptr_t)errno;
}

int main(void) {
  struct sockaddr_in address;
  listener = tcp_listener(&address, 5);
  pthread_t waiters[WAITERS];
  for (int i = 0; i < WAITERS; ++i) waiters[i] = start(wait_in_accept, NULL);
  let_it_block();
  show("shutdown", shutdown(listener, SHUT_RDWR));
  for (int i = 0; i < WAITERS; ++i) {
    printf("accept: %s\n", strerrorname_np((int)(intptr_t)finish(waiters[i])));
  }
  show("later", accept(listener, NULL, NULL));
  return 0;
}
