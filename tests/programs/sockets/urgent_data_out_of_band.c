// SPDX-License-Identifier: Apache-2.0
// MSG_OOB data is read apart from the stream, and sockatmark finds its place.
#include "../io_support.h"

#include <poll.h>

static int ends[2];

static void* send_urgent_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(send(ends[1], "ab", 2, 0) == 2);
  CHECK(send(ends[1], "!", 1, MSG_OOB) == 1);
  CHECK(send(ends[1], "cd", 2, 0) == 2);
  return NULL;
}

static void body(void) {
  char text[8] = "";
  tcp_pair(ends);
  show("none yet", recv(ends[0], text, 1, MSG_OOB));
  const pthread_t sender = start(send_urgent_later, NULL);
  struct pollfd urgent = {.fd = ends[0], .events = POLLPRI};
  show("poll", poll(&urgent, 1, -1));
  printf("POLLPRI %d\n", urgent.revents == POLLPRI);
  finish(sender);
  show("urgent", recv(ends[0], text, 1, MSG_OOB));
  printf("%c\n", text[0]);
  show("before the mark", recv(ends[0], text, sizeof text, 0));
  show("at the mark", sockatmark(ends[0]));
  show("after the mark", recv(ends[0], text, 2, MSG_WAITALL));
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
