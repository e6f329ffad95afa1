// SPDX-License-Identifier: Apache-2.0
// SO_SNDTIMEO ends a send to a full socket with EAGAIN or a partial count, not before its time.
#include "../io_support.h"

#include <sys/time.h>

static void body(void) {
  static char block[1 << 16];
  const struct timeval timeout = {.tv_usec = 50000};
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  CHECK(setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) == 0);
  ssize_t sent;
  while ((sent = send(ends[0], block, sizeof block, MSG_DONTWAIT)) > 0) continue;
  CHECK(errno == EAGAIN);
  int64_t began = now_ns();
  show("send", send(ends[0], block, sizeof block, 0));
  CHECK(now_ns() - began >= 40 * MILLISECOND_NS);
  began = now_ns();
  show("write", write(ends[0], block, sizeof block));
  CHECK(now_ns() - began >= 40 * MILLISECOND_NS);
  read_all(ends[1], block, sizeof block);
  CHECK(recv(ends[1], block, sizeof block, MSG_DONTWAIT) > 0);
  printf("room: %d\n", send(ends[0], block, 1, 0) == 1);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
