// SPDX-License-Identifier: Apache-2.0
// One thread waits to read a socket while another waits to write it; each is woken for its own.
#include "../io_support.h"

enum { BLOCK_BYTES = 1 << 20 };
static int ends[2];
static atomic_bool read_returned;

static void* read_one(void* unused) {
  (void)unused;
  char byte;
  CHECK(read(ends[0], &byte, 1) == 1);
  atomic_store(&read_returned, true);
  return NULL;
}

static void* write_block(void* unused) {
  (void)unused;
  static char block[BLOCK_BYTES];
  write_all(ends[0], block, sizeof block);
  return NULL;
}

static void exchange(bool reader_first) {
  static char block[BLOCK_BYTES];
  atomic_store(&read_returned, false);
  const pthread_t first = start(reader_first ? read_one : write_block, NULL);
  let_it_block();
  const pthread_t second = start(reader_first ? write_block : read_one, NULL);
  let_it_block();
  read_all(ends[1], block, sizeof block);
  finish(reader_first ? second : first);
  printf("written, read returned: %d\n", atomic_load(&read_returned));
  CHECK(write(ends[1], "r", 1) == 1);
  finish(reader_first ? first : second);
  printf("read returned: %d\n", atomic_load(&read_returned));
}

int main(void) {
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  exchange(true);
  exchange(false);
  tcp_pair(ends);
  exchange(true);
  exchange(false);
  return 0;
}
