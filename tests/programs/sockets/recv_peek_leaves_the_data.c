// SPDX-License-Identifier: Apache-2.0
// MSG_PEEK waits for data and leaves it; MSG_DONTWAIT never waits, whatever the descriptor's mode.
#include "../io_support.h"

static int ends[2];

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(ends[1], "peeked", 6) == 6);
  return NULL;
}

static void body(void) {
  char text[8] = "";
  tcp_pair(ends);
  show("not waiting", recv(ends[0], text, sizeof text, MSG_DONTWAIT));
  show("not waiting to peek", recv(ends[0], text, sizeof text, MSG_DONTWAIT | MSG_PEEK));
  const pthread_t writer = start(write_later, NULL);
  show("peek", recv(ends[0], text, 4, MSG_PEEK));
  finish(writer);
  show("peek", recv(ends[0], text, sizeof text, MSG_PEEK));
  show("recv", recv(ends[0], text, sizeof text, 0));
  printf("%s\n", text);
  show("gone", recv(ends[0], text, sizeof text, MSG_DONTWAIT));
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
