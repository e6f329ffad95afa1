// SPDX-License-Identifier: Apache-2.0
// sendfile of a megabyte to a socket with a small buffer waits for the receiver to make room.
#include "../io_support.h"

#include <sys/sendfile.h>

enum { TOTAL_BYTES = 1 << 20 };
static int ends[2], file;

static void* send_file(void* unused) {
  (void)unused;
  off_t offset = 0;
  while (offset < TOTAL_BYTES) {
    CHECK(sendfile(ends[0], file, &offset, (size_t)(TOTAL_BYTES - offset)) > 0);
  }
  shutdown(ends[0], SHUT_WR);
  return NULL;
}

static void body(void) {
  static char contents[TOTAL_BYTES];
  fill_stream(0, contents, sizeof contents);
  file = temporary_file();
  write_all(file, contents, sizeof contents);
  tcp_pair(ends);
  const int small = 8192;
  CHECK(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small) == 0);
  const pthread_t sender = start(send_file, NULL);
  let_it_block();
  uint64_t sum = CHECKSUM_START;
  char buffer[10000];
  long total = 0;
  for (ssize_t got; (got = read(ends[1], buffer, sizeof buffer)) > 0; total += got) {
    sum = checksum(sum, buffer, (size_t)got);
  }
  finish(sender);
  printf("%ld bytes, same %d, position %lld\n", total,
         sum == checksum(CHECKSUM_START, contents, sizeof contents),
         (long long)lseek(file, 0, SEEK_CUR));
  show("at the end", sendfile(ends[1], file, NULL, 10));
  show("bad descriptor", sendfile(ends[1], -1, NULL, 10));
  close(file);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  in_main_and_thread(body);
  return 0;
}
