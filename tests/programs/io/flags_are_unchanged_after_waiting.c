// SPDX-License-Identifier: Apache-2.0
// F_GETFL and F_GETFD say the same before and after a thread waited on the descriptor.
#include "../io_support.h"

#include <sys/eventfd.h>

static void* write_later(void* fd) {
  let_it_block();
  const uint64_t one = 1;
  write_all(*(int*)fd, &one, sizeof one);
  return NULL;
}

static void wait_and_compare(const char* kind, int reading, int writing) {
  const int fds[2] = {reading, writing};
  int status[2], descriptor[2];
  for (int i = 0; i < 2; ++i) status[i] = fcntl(fds[i], F_GETFL);
  for (int i = 0; i < 2; ++i) descriptor[i] = fcntl(fds[i], F_GETFD);
  const pthread_t writer = start(write_later, &writing);
  uint64_t value;
  read_all(reading, &value, sizeof value);
  finish(writer);
  for (int i = 0; i < 2; ++i) CHECK(fcntl(fds[i], F_GETFL) == status[i]);
  for (int i = 0; i < 2; ++i) CHECK(fcntl(fds[i], F_GETFD) == descriptor[i]);
  printf("%s: O_NONBLOCK %d FD_CLOEXEC %d\n", kind, (status[0] & O_NONBLOCK) != 0,
         descriptor[0] & FD_CLOEXEC);
  close(reading);
  if (writing != reading) close(writing);
}

static void body(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  wait_and_compare("pipe", ends[0], ends[1]);
  CHECK(pipe2(ends, O_CLOEXEC) == 0);
  wait_and_compare("pipe2", ends[0], ends[1]);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  wait_and_compare("socketpair", ends[0], ends[1]);
  tcp_pair(ends);
  wait_and_compare("tcp", ends[0], ends[1]);
  const int event = eventfd(0, EFD_CLOEXEC);
  wait_and_compare("eventfd", event, event);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
