// SPDX-License-Identifier: Apache-2.0
// aio_cancel tells truly whether a request was cancelled, is still running, or was done already.
#include "../io_support.h"

#include <aio.h>

static void body(void) {
  int ends[2];
  char text[2][16];
  CHECK(pipe(ends) == 0);
  struct aiocb requests[2];
  memset(requests, 0, sizeof requests);
  for (int i = 0; i < 2; ++i) {
    requests[i].aio_fildes = ends[0];
    requests[i].aio_buf = text[i];
    requests[i].aio_nbytes = 1;
    CHECK(aio_read(&requests[i]) == 0);
  }
  int cancelled = 0;
  for (int i = 0; i < 2; ++i) {
    const int result = aio_cancel(ends[0], &requests[i]);
    CHECK(result == AIO_CANCELED || result == AIO_NOTCANCELED);
    const int error = aio_error(&requests[i]);
    CHECK(error == (result == AIO_CANCELED ? ECANCELED : EINPROGRESS));
    if (error == ECANCELED) CHECK(aio_return(&requests[i]) == -1);
    cancelled += result == AIO_CANCELED;
  }
  CHECK(write(ends[1], "xy", (size_t)(2 - cancelled)) == 2 - cancelled);
  for (int i = 0; i < 2; ++i) {
    const struct aiocb* const list[] = {&requests[i]};
    while (aio_error(&requests[i]) == EINPROGRESS) CHECK(aio_suspend(list, 1, NULL) == 0);
    if (aio_error(&requests[i]) == 0) CHECK(aio_return(&requests[i]) == 1);
  }
  // A request may count as running for a moment after its result is there.
  int result;
  while ((result = aio_cancel(ends[0], NULL)) == AIO_NOTCANCELED) sleep_ms(1);
  printf("all done: %d\n", result == AIO_ALLDONE);
  show("bad descriptor", aio_cancel(-1, NULL));
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
