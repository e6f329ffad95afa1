// SPDX-License-Identifier: Apache-2.0
// Records appended by eight threads with O_APPEND are all there, none torn or overwritten.
#include "../io_support.h"

enum { THREADS = 8, RECORDS = 250, RECORD_BYTES = 100 };

static void* append(void* index) {
  const int file = open("log", O_WRONLY | O_APPEND);
  CHECK(file >= 0);
  char record[RECORD_BYTES];
  memset(record, 'a' + (int)(intptr_t)index, sizeof record);
  record[RECORD_BYTES - 1] = '\n';
  for (int i = 0; i < RECORDS; ++i) CHECK(write(file, record, sizeof record) == sizeof record);
  close(file);
  return NULL;
}

int main(void) {
  enter_temporary_directory();
  close(open("log", O_CREAT | O_RDWR, 0600));
  in_threads(THREADS, append);
  const int file = open("log", O_RDONLY);
  char record[RECORD_BYTES];
  int counts[THREADS] = {0};
  while (read(file, record, sizeof record) == sizeof record) {
    for (int i = 1; i < RECORD_BYTES - 1; ++i) CHECK(record[i] == record[0]);
    CHECK(record[RECORD_BYTES - 1] == '\n');
    ++counts[record[0] - 'a'];
  }
  for (int i = 0; i < THREADS; ++i) printf("%d ", counts[i]);
  printf("\n");
  return 0;
}
