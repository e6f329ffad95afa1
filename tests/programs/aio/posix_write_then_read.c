// SPDX-License-Identifier: Apache-2.0
// aio_write and aio_read carry the data; aio_error tells when, aio_return how much.
#include "../io_support.h"

#include <aio.h>

static void wait_for(struct aiocb* request) {
  const struct aiocb* const list[] = {request};
  while (aio_error(request) == EINPROGRESS) CHECK(aio_suspend(list, 1, NULL) == 0);
}

static void body(void) {
  const int file = temporary_file();
  char text[] = "asynchronous", copy[32] = "";
  struct aiocb write_request = {.aio_fildes = file, .aio_buf = text, .aio_nbytes = 12};
  write_request.aio_offset = 100;
  show("aio_write", aio_write(&write_request));
  wait_for(&write_request);
  printf("error %d\n", aio_error(&write_request));
  show("written", aio_return(&write_request));
  struct aiocb read_request = {.aio_fildes = file, .aio_buf = copy, .aio_nbytes = 32};
  read_request.aio_offset = 105;
  show("aio_read", aio_read(&read_request));
  wait_for(&read_request);
  show("read", aio_return(&read_request));
  printf("%s\n", copy);
  close(file);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
