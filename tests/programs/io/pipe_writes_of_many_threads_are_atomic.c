// SPDX-License-Identifier: Apache-2.0
// Records of up to PIPE_BUF bytes written by eight threads to one pipe are never torn.
#include "../io_support.h"

#include <limits.h>

enum { WRITERS = 8, RECORDS = 100 };
static int ends[2];

static size_t record_bytes(int writer) {
  return (size_t)(PIPE_BUF - 500 * writer);
}

static void* write_records(void* index) {
  const int writer = (int)(intptr_t)index;
  char record[PIPE_BUF];
  memset(record, 'a' + writer, sizeof record);
  for (int i = 0; i < RECORDS; ++i) {
    CHECK(write(ends[1], record, record_bytes(writer)) == (ssize_t)record_bytes(writer));
  }
  return NULL;
}

static void* read_records(void* unused) {
  (void)unused;
  char record[PIPE_BUF];
  int counts[WRITERS] = {0};
  for (int i = 0; i < WRITERS * RECORDS; ++i) {
    read_all(ends[0], record, 1);
    const int writer = record[0] - 'a';
    CHECK(writer >= 0 && writer < WRITERS);
    read_all(ends[0], record + 1, record_bytes(writer) - 1);
    for (size_t byte = 0; byte < record_bytes(writer); ++byte) CHECK(record[byte] == record[0]);
    ++counts[writer];
  }
  for (int i = 0; i < WRITERS; ++i) printf("writer %d: %d records\n", i, counts[i]);
  return NULL;
}

int main(void) {
  CHECK(pipe(ends) == 0);
  const pthread_t reader = start(read_records, NULL);
  in_threads(WRITERS, write_records);
  finish(reader);
  return 0;
}
