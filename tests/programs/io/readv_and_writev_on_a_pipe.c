// SPDX-License-Identifier: Apache-2.0
// writev gathers and readv scatters across buffers of any length, waiting for the first byte.
#include "../io_support.h"

#include <sys/uio.h>

static int ends[2];

static void* gather(void* unused) {
  (void)unused;
  let_it_block();
  char a[] = "ab", b[] = "", c[] = "cdefg";
  struct iovec parts[] = {{a, 2}, {b, 0}, {c, 5}};
  CHECK(writev(ends[1], parts, 3) == 7);
  return NULL;
}

static void body(void) {
  CHECK(pipe(ends) == 0);
  const pthread_t writer = start(gather, NULL);
  char x[4] = "", y[4] = "", z[9] = "";
  struct iovec parts[] = {{x, 3}, {y, 0}, {y, 2}, {z, 8}};
  show("readv", readv(ends[0], parts, 4));
  printf("%s %s %s\n", x, y, z);
  finish(writer);
  show("no parts", readv(ends[0], parts, 0));
  // Volatile, so that the compiler does not see the mistake.
  volatile int negative = -1, too_many = 5000;
  show("negative count", readv(ends[0], parts, negative));
  show("too many parts", writev(ends[1], parts, too_many));
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
