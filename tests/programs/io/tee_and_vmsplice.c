// SPDX-License-Identifier: Apache-2.0
// tee waits for data and copies without taking it; vmsplice moves memory into a pipe.
#include "../io_support.h"

#include <sys/uio.h>

static int source[2], copy[2];

static void* splice_memory_later(void* unused) {
  (void)unused;
  let_it_block();
  static char a[] = "mem", b[] = "ory";
  struct iovec parts[] = {{a, 3}, {b, 3}};
  CHECK(vmsplice(source[1], parts, 2, 0) == 6);
  return NULL;
}

static void body(void) {
  char text[8] = "";
  CHECK(pipe(source) == 0 && pipe(copy) == 0);
  const pthread_t writer = start(splice_memory_later, NULL);
  show("tee", tee(source[0], copy[1], 100, 0));
  finish(writer);
  show("copy", read(copy[0], text, sizeof text));
  printf("%s\n", text);
  show("still there", read(source[0], text, sizeof text));
  show("nonblocking", tee(source[0], copy[1], 100, SPLICE_F_NONBLOCK));
  show("bad descriptor", tee(-1, copy[1], 100, 0));
  for (int i = 0; i < 2; ++i) close(source[i]), close(copy[i]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
