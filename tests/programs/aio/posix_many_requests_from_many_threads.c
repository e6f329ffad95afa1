// SPDX-License-Identifier: Apache-2.0
// Eight threads keep twenty requests each in flight on one file; all of them are done right.
#include "../io_support.h"

#include <aio.h>

enum { THREADS = 8, COUNT = 20, BYTES = 1024 };
static int file;

static void run_all(int (*begin)(struct aiocb*), intptr_t thread, char (*blocks)[BYTES]) {
  struct aiocb requests[COUNT];
  memset(requests, 0, sizeof requests);
  for (int i = 0; i < COUNT; ++i) {
    requests[i].aio_fildes = file;
    requests[i].aio_buf = blocks[i];
    requests[i].aio_nbytes = BYTES;
    requests[i].aio_offset = (thread * COUNT + i) * BYTES;
    CHECK(begin(&requests[i]) == 0);
  }
  for (int i = 0; i < COUNT; ++i) {
    const struct aiocb* const list[] = {&requests[i]};
    while (aio_error(&requests[i]) == EINPROGRESS) CHECK(aio_suspend(list, 1, NULL) == 0);
    CHECK(aio_return(&requests[i]) == BYTES);
  }
}

static void* write_and_read(void* index) {
  char(*data)[BYTES] = malloc(COUNT * BYTES);
  char(*copy)[BYTES] = malloc(COUNT * BYTES);
  for (int round = 0; round < 3; ++round) {
    fill_stream((uint64_t)((intptr_t)index * 7919 + round), data, COUNT * BYTES);
    run_all(aio_write, (intptr_t)index, data);
    run_all(aio_read, (intptr_t)index, copy);
    CHECK(memcmp(data, copy, COUNT * BYTES) == 0);
  }
  free(data);
  free(copy);
  return NULL;
}

int main(void) {
  file = temporary_file();
  in_threads(THREADS, write_and_read);
  show("size", lseek(file, 0, SEEK_END));
  return 0;
}
