// SPDX-License-Identifier: Apache-2.0
// SIGPIPE of a failed write is delivered to the thread that wrote, before the write returns.
#include "../io_support.h"

static _Thread_local volatile sig_atomic_t caught;

static void note(int number) {
  caught = number;
}

static void body(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  close(ends[0]);
  caught = 0;
  show("write", write(ends[1], "x", 1));
  printf("signal %d\n", (int)caught);
  close(ends[1]);
}

static void* body_in_thread(void* unused) {
  (void)unused;
  body();
  return NULL;
}

int main(void) {
  handle_signal(SIGPIPE, note, 0);
  body();
  caught = 0;
  finish(start(body_in_thread, NULL));
  printf("main saw %d\n", (int)caught);
  return 0;
}
