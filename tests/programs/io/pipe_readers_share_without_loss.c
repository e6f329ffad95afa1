// SPDX-License-Identifier: Apache-2.0
// Eight threads read single bytes of one pipe; each byte is delivered to exactly one of them.
#include "../io_support.h"

enum { READERS = 8, BYTES = 20000 };
static int ends[2];
static atomic_int counts[256];

static void* take_bytes(void* unused) {
  (void)unused;
  unsigned char byte;
  ssize_t got;
  while ((got = read(ends[0], &byte, 1)) == 1) atomic_fetch_add(&counts[byte], 1);
  CHECK(got == 0);
  return NULL;
}

int main(void) {
  CHECK(pipe(ends) == 0);
  pthread_t readers[READERS];
  for (int i = 0; i < READERS; ++i) readers[i] = start(take_bytes, NULL);
  let_it_block();
  for (int i = 0; i < BYTES; ++i) {
    const unsigned char byte = (unsigned char)(i % 250);
    CHECK(write(ends[1], &byte, 1) == 1);
  }
  close(ends[1]);
  for (int i = 0; i < READERS; ++i) finish(readers[i]);
  int right = 0;
  for (int i = 0; i < 250; ++i) right += atomic_load(&counts[i]) == BYTES / 250;
  printf("%d of 250 values as often as written\n", right);
  return 0;
}
