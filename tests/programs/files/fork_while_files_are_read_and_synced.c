// SPDX-License-Identifier: Apache-2.0
// Children of a fork amid reads and syncs read and sync the same file, and so does their parent.
#include "../io_support.h"

enum { THREADS = 6, BLOCK_BYTES = 4096, BLOCKS = 64, CHILDREN = 5 };
static int file;
static atomic_int stop;

static void read_and_sync(int block) {
  char content[BLOCK_BYTES], expected[BLOCK_BYTES];
  const off_t offset = (off_t)block * BLOCK_BYTES;
  fill_stream((uint64_t)offset, expected, BLOCK_BYTES);
  CHECK(posix_fadvise(file, offset, BLOCK_BYTES, POSIX_FADV_DONTNEED) == 0);
  CHECK(pread(file, content, BLOCK_BYTES, offset) == BLOCK_BYTES);
  CHECK(memcmp(content, expected, BLOCK_BYTES) == 0);
  if (block % 8 == 0) CHECK(fdatasync(file) == 0);
}

static void* read_for_long(void* index) {
  for (int i = 0; !stop; ++i) read_and_sync((int)((intptr_t)index * 7 + i) % BLOCKS);
  return NULL;
}

static void* read_some(void* index) {
  for (int i = 0; i < BLOCKS; ++i) read_and_sync((int)((intptr_t)index + i) % BLOCKS);
  return NULL;
}

static void* fork_children(void* unused) {
  (void)unused;
  for (int i = 0; i < CHILDREN; ++i) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      read_and_sync(i);
      in_threads(2, read_some);
      _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  stop = 1;
  return NULL;
}

int main(void) {
  file = temporary_file();
  char content[BLOCK_BYTES];
  for (int i = 0; i < BLOCKS; ++i) {
    fill_stream((uint64_t)i * BLOCK_BYTES, content, BLOCK_BYTES);
    CHECK(pwrite(file, content, BLOCK_BYTES, (off_t)i * BLOCK_BYTES) == BLOCK_BYTES);
  }
  CHECK(fsync(file) == 0);
  pthread_t readers[THREADS];
  for (intptr_t i = 0; i < THREADS; ++i) readers[i] = start(read_for_long, (void*)i);
  finish(start(fork_children, NULL));
  for (int i = 0; i < THREADS; ++i) finish(readers[i]);
  show("children", CHILDREN);
  return 0;
}
