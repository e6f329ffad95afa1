// SPDX-License-Identifier: Apache-2.0
// io_submit and io_getevents write and read a file's blocks, from several threads at once.
#include "kernel_aio.h"

enum { THREADS = 4, COUNT = 16, BYTES = 4096 };
static int file;

static void run_all(aio_context_t context, int operation, intptr_t thread, char (*blocks)[BYTES]) {
  struct iocb requests[COUNT];
  struct iocb* list[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    requests[i] = request(operation, file, blocks[i], BYTES, (thread * COUNT + i) * BYTES);
    requests[i].aio_data = (uint64_t)i;
    list[i] = &requests[i];
  }
  CHECK(submit(context, COUNT, list) == COUNT);
  bool seen[COUNT] = {false};
  for (int done = 0; done < COUNT;) {
    struct io_event events[COUNT];
    const long got = get_events(context, 1, COUNT, events, NULL);
    CHECK(got >= 1);
    for (long i = 0; i < got; ++i) {
      CHECK(events[i].res == BYTES && events[i].data < COUNT && !seen[events[i].data]);
      seen[events[i].data] = true;
    }
    done += (int)got;
  }
}

static void* write_and_read(void* index) {
  const aio_context_t context = new_context(COUNT);
  char(*data)[BYTES] = malloc(COUNT * BYTES);
  char(*copy)[BYTES] = malloc(COUNT * BYTES);
  fill_stream((uint64_t)((intptr_t)index * 7919), data, COUNT * BYTES);
  run_all(context, IOCB_CMD_PWRITE, (intptr_t)index, data);
  run_all(context, IOCB_CMD_PREAD, (intptr_t)index, copy);
  CHECK(memcmp(data, copy, COUNT * BYTES) == 0);
  free(data);
  free(copy);
  end_context(context);
  return NULL;
}

int main(void) {
  file = temporary_file();
  in_threads(THREADS, write_and_read);
  write_and_read((void*)4);
  show("size", lseek(file, 0, SEEK_END));
  return 0;
}
