// SPDX-License-Identifier: Apache-2.0
// An aio_read with SIGEV_SIGNAL queues its signal, with its value, when the data came.
#include "../io_support.h"

#include <aio.h>

static int ends[2];

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(ends[1], "arrived", 7) == 7);
  return NULL;
}

static void body(void) {
  char text[16] = "";
  CHECK(pipe(ends) == 0);
  struct aiocb request = {.aio_fildes = ends[0], .aio_buf = text, .aio_nbytes = sizeof text};
  request.aio_sigevent.sigev_notify = SIGEV_SIGNAL;
  request.aio_sigevent.sigev_signo = SIGRTMIN + 2;
  request.aio_sigevent.sigev_value.sival_int = 33;
  CHECK(aio_read(&request) == 0);
  const pthread_t writer = start(write_later, NULL);
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGRTMIN + 2);
  siginfo_t info;
  CHECK(sigwaitinfo(&wanted, &info) == SIGRTMIN + 2);
  printf("value %d\n", info.si_value.sival_int);
  CHECK(aio_error(&request) == 0);
  show("read", aio_return(&request));
  finish(writer);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGRTMIN + 2);
  CHECK(pthread_sigmask(SIG_BLOCK, &wanted, NULL) == 0);
  in_main_and_thread(body);
  return 0;
}
