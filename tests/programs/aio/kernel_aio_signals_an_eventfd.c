// SPDX-License-Identifier: Apache-2.0
// Kernel AIO requests with IOCB_FLAG_RESFD count their completions in an eventfd a thread waits on.
#include "kernel_aio.h"

#include <sys/eventfd.h>

enum { COUNT = 10 };
static aio_context_t context;
static int file, event_fd;
static char block[512];

static void* submit_all(void* unused) {
  (void)unused;
  let_it_block();
  struct iocb requests[COUNT];
  struct iocb* list[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    requests[i] = request(IOCB_CMD_PWRITE, file, block, sizeof block, i * 512);
    requests[i].aio_flags = IOCB_FLAG_RESFD;
    requests[i].aio_resfd = (uint32_t)event_fd;
    list[i] = &requests[i];
  }
  CHECK(submit(context, COUNT, list) == COUNT);
  return NULL;
}

static void body(void) {
  file = temporary_file();
  event_fd = eventfd(0, 0);
  context = new_context(COUNT);
  const pthread_t submitter = start(submit_all, NULL);
  uint64_t total = 0;
  while (total < COUNT) {
    eventfd_t completions;
    CHECK(eventfd_read(event_fd, &completions) == 0);
    total += completions;
  }
  finish(submitter);
  struct io_event events[COUNT];
  show("events", get_events(context, COUNT, COUNT, events, NULL));
  end_context(context);
  close(event_fd);
  close(file);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
