// SPDX-License-Identifier: Apache-2.0
// Sixteen threads pwrite and pread their own blocks of one file; every block holds its own data.
#include "../io_support.h"

enum { THREADS = 16, BLOCKS = 40, BLOCK_BYTES = 4096 };
static int file;

static void* write_and_read(void* index) {
  char block[BLOCK_BYTES], copy[BLOCK_BYTES];
  for (int i = 0; i < BLOCKS; ++i) {
    const off_t offset = ((off_t)i * THREADS + (intptr_t)index) * BLOCK_BYTES;
    fill_stream((uint64_t)offset, block, sizeof block);
    CHECK(pwrite(file, block, sizeof block, offset) == sizeof block);
    CHECK(pread(file, copy, sizeof copy, offset) == sizeof copy);
    CHECK(memcmp(block, copy, sizeof block) == 0);
  }
  return NULL;
}

int main(void) {
  file = temporary_file();
  in_threads(THREADS, write_and_read);
  uint64_t sum = CHECKSUM_START;
  char block[BLOCK_BYTES];
  long total = 0;
  for (ssize_t got; (got = read(file, block, sizeof block)) > 0; total += got) {
    sum = checksum(sum, block, (size_t)got);
  }
  printf("%ld bytes, checksum %016llx\n", total, (unsigned long long)sum);
  return 0;
}
