// SPDX-License-Identifier: Apache-2.0
// Bad descriptors, offsets and priorities are told by the call or by aio_error, as POSIX permits.
#include "../io_support.h"

#include <aio.h>

// The error of the request, whether it was found at once or later.
static const char* error_of(int (*begin)(struct aiocb*), struct aiocb* request) {
  if (begin(request) == -1) return strerrorname_np(errno);
  const struct aiocb* const list[] = {request};
  while (aio_error(request) == EINPROGRESS) CHECK(aio_suspend(list, 1, NULL) == 0);
  const int error = aio_error(request);
  aio_return(request);
  return error == 0 ? "none" : strerrorname_np(error);
}

static void body(void) {
  char buffer[8] = "";
  const int file = temporary_file();
  struct aiocb request = {.aio_fildes = -1, .aio_buf = buffer, .aio_nbytes = 8};
  printf("bad descriptor: %s\n", error_of(aio_read, &request));
  request.aio_fildes = file;
  printf("write: %s\n", error_of(aio_write, &request));
  request.aio_reqprio = -5;
  printf("bad priority: %s\n", error_of(aio_read, &request));
  request.aio_reqprio = 0;
  request.aio_offset = -1;
  printf("bad offset: %s\n", error_of(aio_read, &request));
  request.aio_offset = 1000;
  printf("past the end: %s\n", error_of(aio_read, &request));
  const int reading = open("/dev/null", O_RDONLY);
  request.aio_fildes = reading;
  request.aio_offset = 0;
  printf("write to a reader: %s\n", error_of(aio_write, &request));
  close(reading);
  close(file);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
