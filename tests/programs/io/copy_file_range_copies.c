// SPDX-License-Identifier: Apache-2.0
// copy_file_range copies between files, at given offsets and at the positions.
#include "../io_support.h"

static void body(void) {
  const int from = temporary_file(), to = temporary_file();
  static char contents[100000], copy[100000];
  fill_stream(0, contents, sizeof contents);
  write_all(from, contents, sizeof contents);
  off64_t from_offset = 0, to_offset = 0;
  while (from_offset < (off64_t)sizeof contents) {
    CHECK(copy_file_range(from, &from_offset, to, &to_offset, sizeof contents, 0) > 0);
  }
  CHECK(pread(to, copy, sizeof copy, 0) == sizeof copy);
  printf("same %d\n", memcmp(contents, copy, sizeof copy) == 0);
  show("position", lseek(to, 0, SEEK_CUR));
  show("at the end", copy_file_range(from, NULL, to, NULL, 10, 0));
  show("flags", copy_file_range(from, NULL, to, NULL, 10, 1));
  show("bad descriptor", copy_file_range(-1, NULL, to, NULL, 10, 0));
  close(from);
  close(to);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
