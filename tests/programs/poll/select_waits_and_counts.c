// SPDX-License-Identifier: Apache-2.0
// select waits for any of three sets, counts each ready entry once per set and clears the others.
#include "../io_support.h"

#include <sys/select.h>

static int first[2], second[2];

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(second[1], "x", 1) == 1);
  return NULL;
}

static void body(void) {
  CHECK(pipe(first) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, second) == 0);
  fd_set reading, writing;
  FD_ZERO(&reading);
  FD_SET(first[0], &reading);
  FD_SET(second[0], &reading);
  const pthread_t writer = start(write_later, NULL);
  show("one", select(FD_SETSIZE, &reading, NULL, NULL, NULL));
  printf("%d %d\n", FD_ISSET(first[0], &reading) != 0, FD_ISSET(second[0], &reading) != 0);
  finish(writer);
  FD_ZERO(&writing);
  FD_SET(first[1], &writing);
  FD_SET(second[0], &writing);
  show("three", select(FD_SETSIZE, &reading, &writing, NULL, NULL));
  struct timeval timeout = {.tv_usec = 20000};
  FD_ZERO(&reading);
  FD_SET(first[0], &reading);
  const int64_t began = now_ns();
  show("timeout", select(FD_SETSIZE, &reading, NULL, NULL, &timeout));
  CHECK(now_ns() - began >= 20 * MILLISECOND_NS);
  printf("cleared %d, left %ld us\n", FD_ISSET(first[0], &reading) == 0,
         (long)(timeout.tv_sec * 1000000 + timeout.tv_usec));
  timeout = (struct timeval){.tv_sec = 100};
  FD_SET(second[0], &reading);
  show("in time", select(FD_SETSIZE, &reading, NULL, NULL, &timeout));
  printf("time left: %d\n", timeout.tv_sec >= 50);
  const struct timespec kept = {.tv_nsec = 10000000};
  FD_ZERO(&reading);
  FD_SET(first[0], &reading);
  show("pselect", pselect(FD_SETSIZE, &reading, NULL, NULL, &kept, NULL));
  for (int i = 0; i < 2; ++i) close(first[i]), close(second[i]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
