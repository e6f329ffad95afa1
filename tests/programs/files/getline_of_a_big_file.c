// SPDX-License-Identifier: Apache-2.0
// getline reads a file of lines from 0 to 100,000 bytes whole, in two threads at a time.
#include "../io_support.h"

static void* read_lines(void* unused) {
  (void)unused;
  FILE* file = fopen("lines", "r");
  CHECK(file != NULL);
  char* line = NULL;
  size_t capacity = 0;
  uint64_t sum = CHECKSUM_START;
  int count = 0;
  for (ssize_t bytes; (bytes = getline(&line, &capacity, file)) > 0; ++count) {
    CHECK(line[bytes - 1] == '\n');
    CHECK(bytes - 1 == (count % 50 == 49 ? 100000 : count));
    sum = checksum(sum, line, (size_t)bytes);
  }
  CHECK(feof(file));
  free(line);
  fclose(file);
  return (void*)(uintptr_t)(sum ^ (uint64_t)count);
}

int main(void) {
  enter_temporary_directory();
  FILE* file = fopen("lines", "w");
  for (int i = 0; i < 1000; ++i) {
    const int bytes = i % 50 == 49 ? 100000 : i;
    for (int j = 0; j < bytes; ++j) putc('a' + (i + j) % 26, file);
    putc('\n', file);
  }
  fclose(file);
  const pthread_t first = start(read_lines, NULL), second = start(read_lines, NULL);
  void* const expected = read_lines(NULL);
  printf("same %d %d\n", finish(first) == expected, finish(second) == expected);
  return 0;
}
