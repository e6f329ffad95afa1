// SPDX-License-Identifier: Apache-2.0
// MSG_WAITALL waits for the whole buffer, or returns less at the end of the stream.
#include "../io_support.h"

static int ends[2];

static void* write_slowly(void* unused) {
  (void)unused;
  for (int i = 0; i < 13; ++i) {
    sleep_ms(3);
    CHECK(write(ends[1], "abcdefgh", 8) == 8);
  }
  shutdown(ends[1], SHUT_WR);
  return NULL;
}

static void receive(void) {
  char buffer[50];
  const pthread_t writer = start(write_slowly, NULL);
  show("all", recv(ends[0], buffer, sizeof buffer, MSG_WAITALL));
  struct iovec parts[2] = {{buffer, 20}, {buffer + 20, 30}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  show("all parts", recvmsg(ends[0], &message, MSG_WAITALL));
  show("rest", recv(ends[0], buffer, sizeof buffer, MSG_WAITALL));
  show("end", recv(ends[0], buffer, sizeof buffer, MSG_WAITALL));
  finish(writer);
  close(ends[0]);
  close(ends[1]);
}

static void body(void) {
  tcp_pair(ends);
  receive();
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  receive();
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
