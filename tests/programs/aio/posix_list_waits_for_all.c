// SPDX-License-Identifier: Apache-2.0
// lio_listio with LIO_WAIT returns when all its reads and writes are done.
#include "../io_support.h"

#include <aio.h>

enum { COUNT = 20, BYTES = 512 };

static void body(void) {
  const int file = temporary_file();
  static char data[COUNT][BYTES], copy[COUNT][BYTES];
  struct aiocb requests[COUNT];
  struct aiocb* list[COUNT + 1];
  memset(requests, 0, sizeof requests);
  fill_stream(0, data, sizeof data);
  for (int i = 0; i < COUNT; ++i) {
    requests[i].aio_fildes = file;
    requests[i].aio_buf = data[i];
    requests[i].aio_nbytes = BYTES;
    requests[i].aio_offset = i * BYTES;
    requests[i].aio_lio_opcode = LIO_WRITE;
    list[i] = &requests[i];
  }
  list[COUNT] = NULL;
  show("writes", lio_listio(LIO_WAIT, list, COUNT + 1, NULL));
  long total = 0;
  for (int i = 0; i < COUNT; ++i) {
    CHECK(aio_error(&requests[i]) == 0);
    total += aio_return(&requests[i]);
    requests[i].aio_buf = copy[i];
    requests[i].aio_lio_opcode = i == 3 ? LIO_NOP : LIO_READ;
  }
  printf("%ld bytes\n", total);
  show("reads", lio_listio(LIO_WAIT, list, COUNT, NULL));
  int same = 0;
  for (int i = 0; i < COUNT; ++i) same += memcmp(data[i], copy[i], BYTES) == 0;
  printf("%d blocks the same\n", same);
  requests[5].aio_fildes = -1;
  show("one bad", lio_listio(LIO_WAIT, list, COUNT, NULL));
  printf("%s\n", strerrorname_np(aio_error(&requests[5])));
  show("bad mode", lio_listio(77, list, COUNT, NULL));
  close(file);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
