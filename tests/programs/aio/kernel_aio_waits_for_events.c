// SPDX-License-Identifier: Apache-2.0
// io_getevents waits for a request that another thread submits later, and keeps its timeout.
#include "kernel_aio.h"

static aio_context_t context;
static int file;
static char block[512];

static void* submit_later(void* unused) {
  (void)unused;
  let_it_block();
  struct iocb write_request = request(IOCB_CMD_PWRITE, file, block, sizeof block, 0);
  struct iocb* list[] = {&write_request};
  CHECK(submit(context, 1, list) == 1);
  return NULL;
}

static void body(void) {
  file = temporary_file();
  context = new_context(8);
  struct io_event events[8];
  struct timespec short_time = timespec_of_ns(20 * MILLISECOND_NS), none = {0, 0};
  show("at once", get_events(context, 1, 8, events, &none));
  const int64_t began = now_ns();
  show("timeout", get_events(context, 1, 8, events, &short_time));
  CHECK(now_ns() - began >= 20 * MILLISECOND_NS);
  const pthread_t submitter = start(submit_later, NULL);
  show("waited", get_events(context, 1, 8, events, NULL));
  printf("result %lld\n", (long long)events[0].res);
  finish(submitter);
  end_context(context);
  close(file);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
