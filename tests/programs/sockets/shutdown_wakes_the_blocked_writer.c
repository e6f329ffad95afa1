// SPDX-License-Identifier: Apache-2.0
// shutdown wakes a thread that waits in send on a full socket; it gets EPIPE or a partial count.
#include "../io_support.h"

static int ends[2];

static void* send_too_much(void* unused) {
  (void)unused;
  static char block[16 << 20];
  ssize_t sent;
  while ((sent = send(ends[0], block, sizeof block, MSG_NOSIGNAL)) > 0) continue;
  // The reader went away: EPIPE, or ECONNRESET where unread data was thrown away.
  CHECK(sent == -1 && (errno == EPIPE || errno == ECONNRESET));
  return NULL;
}

static void fill_then(int end_to_close) {
  const pthread_t sender = start(send_too_much, NULL);
  let_it_block();
  if (end_to_close == 0) {
    CHECK(shutdown(ends[0], SHUT_WR) == 0);
  } else {
    close(ends[1]);
  }
  finish(sender);
  printf("woken\n");
  close(ends[0]);
  if (end_to_close == 0) close(ends[1]);
}

int main(void) {
  tcp_pair(ends), fill_then(0);
  tcp_pair(ends), fill_then(1);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  fill_then(0);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  fill_then(1);
  return 0;
}
