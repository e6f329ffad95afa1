// SPDX-License-Identifier: Apache-2.0
// SOCK_SEQPACKET keeps record borders, waits both ways and ends with a length of zero.
#include "../io_support.h"

static int ends[2];

static void* send_records(void* unused) {
  (void)unused;
  char record[2000];
  fill_stream(0, record, sizeof record);
  for (int i = 1; i <= 1000; ++i) {
    CHECK(write(ends[0], record, (size_t)(2 * i)) == 2 * i);
  }
  close(ends[0]);
  return NULL;
}

static void body(void) {
  char record[2000], expected[2000];
  fill_stream(0, expected, sizeof expected);
  CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
  const pthread_t sender = start(send_records, NULL);
  let_it_block();
  int records = 0;
  for (ssize_t got; (got = read(ends[1], record, sizeof record)) > 0;) {
    ++records;
    CHECK(got == 2 * records && memcmp(record, expected, (size_t)got) == 0);
  }
  finish(sender);
  printf("%d records\n", records);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
