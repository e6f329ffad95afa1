// SPDX-License-Identifier: Apache-2.0
// Closing a listener under a waiting accept ends in what Linux permits, and nothing hangs after it.
#include "../io_support.h"

static int listener;
static atomic_bool about_to_wait;

// The accept may get the next connection, as the file lives while it is used, or see the close.
static void* wait_in_accept(void* unused) {
  (void)unused;
  atomic_store(&about_to_wait, true);
  const int fd = accept(listener, NULL, NULL);
  CHECK(fd >= 0 || errno == EBADF || errno == EINVAL || errno == ECONNABORTED);
  if (fd >= 0) close(fd);
  return NULL;
}

int main(void) {
  for (int round = 0; round < 5; ++round) {
    struct sockaddr_in address;
    listener = tcp_listener(&address, 5);
    atomic_store(&about_to_wait, false);
    const pthread_t waiter = start(wait_in_accept, NULL);
    while (!atomic_load(&about_to_wait)) sleep_ms(1);
    sleep_ms(10);
    close(listener);
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    const int result = connect(client, (struct sockaddr*)&address, sizeof address);
    CHECK(result == 0 || errno == ECONNREFUSED || errno == ECONNRESET);
    finish(waiter);
    close(client);
  }
  printf("ended five times\n");
  return 0;
}
