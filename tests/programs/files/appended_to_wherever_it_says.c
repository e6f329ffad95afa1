// SPDX-License-Identifier: Apache-2.0
// On a file that is appended to, Linux appends positioned writes too, each of them whole.
#include "../io_support.h"

#include <sys/uio.h>

enum { THREADS = 8, WRITES = 50, RECORD_BYTES = 32 };
static int file;

static void* append(void* index) {
  char record[RECORD_BYTES];
  memset(record, 'a' + (int)(intptr_t)index, sizeof(record));
  const struct iovec halves[] = {{record, 10}, {record + 10, RECORD_BYTES - 10}};
  for (int i = 0; i < WRITES; ++i) {
    CHECK(pwrite(file, record, RECORD_BYTES, 0) == RECORD_BYTES);
    CHECK(pwritev(file, halves, 2, 7) == RECORD_BYTES);
  }
  return NULL;
}

int main(void) {
  file = temporary_file();
  CHECK(fcntl(file, F_SETFL, O_APPEND) == 0);
  in_threads(THREADS, append);
  int counts[THREADS] = {0};
  char record[RECORD_BYTES];
  off_t offset = 0;
  for (; pread(file, record, RECORD_BYTES, offset) == RECORD_BYTES; offset += RECORD_BYTES) {
    for (int i = 1; i < RECORD_BYTES; ++i) CHECK(record[i] == record[0]);
    ++counts[record[0] - 'a'];
  }
  for (int i = 0; i < THREADS; ++i) show("records", counts[i]);
  show("position", lseek(file, 0, SEEK_CUR));
  show("negative offset", pwrite(file, record, 1, -1));
  return 0;
}
