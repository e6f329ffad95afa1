// SPDX-License-Identifier: Apache-2.0
// Kernel AIO calls with bad contexts, counts, descriptors and operations fail with the right
// errors.
#include "kernel_aio.h"

static void body(void) {
  aio_context_t context = 1;
  show("context not zero", syscall(SYS_io_setup, 8, &context));
  context = 0;
  show("no events", syscall(SYS_io_setup, 0, &context));
  struct io_event event;
  struct timespec none = {0, 0};
  show("unknown context", get_events(12345, 1, 1, &event, &none));
  show("destroy unknown", syscall(SYS_io_destroy, 12345));
  context = new_context(8);
  char byte = 0;
  struct iocb bad = request(IOCB_CMD_PREAD, -1, &byte, 1, 0);
  struct iocb* list[] = {&bad};
  show("bad descriptor", submit(context, 1, list));
  show("none submitted", submit(context, 0, list));
  show("negative count", submit(context, -1, list));
  bad = request(99, STDERR_FILENO, &byte, 1, 0);
  show("unknown operation", submit(context, 1, list));
  show("minimum above maximum", get_events(context, 2, 1, &event, &none));
  end_context(context);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
