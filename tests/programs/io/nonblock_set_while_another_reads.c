// SPDX-License-Identifier: Apache-2.0
// Setting O_NONBLOCK does not disturb a read that waits already; the next one fails with EAGAIN.
#include "../io_support.h"

static int ends[2];
static atomic_bool about_to_wait;

static void* wait_for_data(void* result) {
  char buffer[8];
  atomic_store(&about_to_wait, true);
  *(ssize_t*)result = read(ends[0], buffer, sizeof buffer);
  return NULL;
}

int main(void) {
  ssize_t got = -1;
  // A read that began after the flag was set fails at once; then the attempt is repeated.
  for (int attempt = 0; attempt < 10 && got < 0; ++attempt) {
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    atomic_store(&about_to_wait, false);
    const pthread_t reader = start(wait_for_data, &got);
    while (!atomic_load(&about_to_wait)) sleep_ms(1);
    sleep_ms(30);
    CHECK(fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK) == 0);
    sleep_ms(10);
    CHECK(write(ends[1], "data", 4) == 4);
    finish(reader);
  }
  char buffer[8];
  show("waiting read", got);
  show("next read", read(ends[0], buffer, sizeof buffer));
  return 0;
}
