// SPDX-License-Identifier: Apache-2.0
// Reads of what is not in the cache carry the data, from many threads, by every form of the call.
#include "../io_support.h"

#include <sys/uio.h>

enum { THREADS = 16, BLOCKS = 8, BLOCK_BYTES = 16384, ALL_BYTES = THREADS * BLOCKS * BLOCK_BYTES };
static int file;

// The kernel may keep what it likes: the answers are the same.
static void forget(off_t offset, off_t bytes) {
  CHECK(posix_fadvise(file, offset, bytes, POSIX_FADV_DONTNEED) == 0);
}

static void* read_blocks(void* index) {
  char* expected = malloc(2 * BLOCK_BYTES);
  char* block = expected + BLOCK_BYTES;
  CHECK(expected != NULL);
  for (int i = 0; i < BLOCKS; ++i) {
    const off_t offset = ((intptr_t)index * BLOCKS + i) * BLOCK_BYTES;
    fill_stream((uint64_t)offset, expected, BLOCK_BYTES);
    forget(offset, BLOCK_BYTES);
    CHECK(pread(file, block, BLOCK_BYTES, offset) == BLOCK_BYTES);
    CHECK(memcmp(block, expected, BLOCK_BYTES) == 0);
    memset(block, 0, BLOCK_BYTES);
    forget(offset, BLOCK_BYTES);
    const struct iovec vectors[] = {{block, 100}, {block + 100, BLOCK_BYTES - 100}};
    CHECK(preadv(file, vectors, 2, offset) == BLOCK_BYTES);
    CHECK(memcmp(block, expected, BLOCK_BYTES) == 0);
  }
  free(expected);
  return NULL;
}

int main(void) {
  file = temporary_file();
  char* content = malloc(ALL_BYTES);
  CHECK(content != NULL);
  for (int i = 0; i < ALL_BYTES; i += BLOCK_BYTES) {
    fill_stream((uint64_t)i, content + i, BLOCK_BYTES);
  }
  CHECK(pwrite(file, content, ALL_BYTES, 0) == ALL_BYTES);
  CHECK(fsync(file) == 0);
  in_threads(THREADS, read_blocks);
  forget(0, 0);
  show("up to the end", pread(file, content, ALL_BYTES, ALL_BYTES - 1000));
  show("at the end", pread(file, content, ALL_BYTES, ALL_BYTES));
  free(content);
  return 0;
}
