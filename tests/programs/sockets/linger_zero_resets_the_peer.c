// SPDX-License-Identifier: Apache-2.0
// Closing with a linger time of zero resets the connection: the waiting peer gets ECONNRESET.
#include "../io_support.h"

static int ends[2];

static void* reset_later(void* unused) {
  (void)unused;
  let_it_block();
  const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
  CHECK(setsockopt(ends[1], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) == 0);
  close(ends[1]);
  return NULL;
}

static void body(void) {
  char byte;
  tcp_pair(ends);
  const pthread_t resetter = start(reset_later, NULL);
  show("recv", recv(ends[0], &byte, 1, 0));
  finish(resetter);
  show("again", recv(ends[0], &byte, 1, 0));
  show("send", send(ends[0], &byte, 1, MSG_NOSIGNAL));
  close(ends[0]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
