// SPDX-License-Identifier: Apache-2.0
// A pipe in packet mode gives one packet per read and throws away what does not fit.
#include "../io_support.h"

static int ends[2];

static void* write_packets(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(ends[1], "one", 3) == 3);
  CHECK(write(ends[1], "longer packet", 13) == 13);
  CHECK(write(ends[1], "three", 5) == 5);
  close(ends[1]);
  return NULL;
}

static void body(void) {
  char packet[16];
  CHECK(pipe2(ends, O_DIRECT) == 0);
  const pthread_t writer = start(write_packets, NULL);
  show("first", read(ends[0], packet, sizeof packet));
  show("cut", read(ends[0], packet, 6));
  show("third", read(ends[0], packet, sizeof packet));
  show("end", read(ends[0], packet, sizeof packet));
  finish(writer);
  close(ends[0]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
