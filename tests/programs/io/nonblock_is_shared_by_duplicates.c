// SPDX-License-Identifier: Apache-2.0
// O_NONBLOCK set through a duplicate, or by a child process, holds for the original as well.
#include "../io_support.h"

static int ends[2];

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(ends[1], "x", 1) == 1);
  return NULL;
}

static void wait_for_data(void) {
  char byte;
  const pthread_t writer = start(write_later, NULL);
  show("waiting read", read(ends[0], &byte, 1));
  finish(writer);
}

static void set_in_child(int flags) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) _exit(fcntl(ends[0], F_SETFL, flags) == 0 ? 0 : 1);
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void body(void) {
  char byte;
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  wait_for_data();
  const int duplicate = dup(ends[0]);
  CHECK(fcntl(duplicate, F_SETFL, O_NONBLOCK) == 0);
  show("set by a duplicate", read(ends[0], &byte, 1));
  CHECK(fcntl(duplicate, F_SETFL, 0) == 0);
  close(duplicate);
  wait_for_data();
  set_in_child(O_NONBLOCK);
  show("set by a child", read(ends[0], &byte, 1));
  show("recv", recv(ends[0], &byte, 1, 0));
  set_in_child(0);
  wait_for_data();
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
