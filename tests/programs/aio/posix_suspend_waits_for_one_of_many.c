// SPDX-License-Identifier: Apache-2.0
// aio_suspend waits until one of several requests on pipes is done, and keeps its timeout.
#include "../io_support.h"

#include <aio.h>

static int pipes[3][2];

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(pipes[1][1], "second", 6) == 6);
  return NULL;
}

static void body(void) {
  char buffers[3][16] = {"", "", ""};
  struct aiocb requests[3];
  const struct aiocb* list[4] = {NULL};
  memset(requests, 0, sizeof requests);
  for (int i = 0; i < 3; ++i) {
    CHECK(pipe(pipes[i]) == 0);
    requests[i].aio_fildes = pipes[i][0];
    requests[i].aio_buf = buffers[i];
    requests[i].aio_nbytes = 16;
    CHECK(aio_read(&requests[i]) == 0);
    list[i + 1] = &requests[i];
  }
  const struct timespec short_time = timespec_of_ns(20 * MILLISECOND_NS);
  const int64_t began = now_ns();
  show("timeout", aio_suspend(list, 4, &short_time));
  CHECK(now_ns() - began >= 20 * MILLISECOND_NS);
  const pthread_t writer = start(write_later, NULL);
  show("suspend", aio_suspend(list, 4, NULL));
  finish(writer);
  for (int i = 0; i < 3; ++i) {
    const int error = aio_error(&requests[i]);
    printf("%s\n", error == 0 ? "done" : strerrorname_np(error));
  }
  show("done already", aio_suspend(list, 4, NULL));
  show("bytes", aio_return(&requests[1]));
  printf("%s\n", buffers[1]);
  // The others end with their pipes.
  close(pipes[0][1]);
  close(pipes[2][1]);
  for (int i = 0; i < 3; i += 2) {
    while (aio_error(&requests[i]) == EINPROGRESS) CHECK(aio_suspend(&list[i + 1], 1, NULL) == 0);
    show("end", aio_return(&requests[i]));
  }
  for (int i = 0; i < 3; ++i) close(pipes[i][0]);
  close(pipes[1][1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
