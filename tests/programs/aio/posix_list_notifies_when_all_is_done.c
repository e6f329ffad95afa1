// SPDX-License-Identifier: Apache-2.0
// lio_listio with LIO_NOWAIT returns at once and notifies once, by function or signal, in the end.
#include "../io_support.h"

#include <aio.h>

enum { COUNT = 10 };
static atomic_int notified;
static char data[COUNT];
static struct aiocb requests[COUNT];

static void on_done(union sigval value) {
  CHECK(value.sival_int == 99);
  for (int i = 0; i < COUNT; ++i) CHECK(aio_error(&requests[i]) == 0);
  atomic_fetch_add(&notified, 1);
}

static void begin(int file, struct sigevent* event) {
  struct aiocb* list[COUNT];
  memset(requests, 0, sizeof requests);
  for (int i = 0; i < COUNT; ++i) {
    requests[i].aio_fildes = file;
    requests[i].aio_buf = &data[i];
    requests[i].aio_nbytes = 1;
    requests[i].aio_offset = i;
    requests[i].aio_lio_opcode = LIO_WRITE;
    list[i] = &requests[i];
  }
  show("begun", lio_listio(LIO_NOWAIT, list, COUNT, event));
}

static void body(void) {
  const int file = temporary_file();
  atomic_store(&notified, 0);
  struct sigevent by_function = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 99};
  by_function.sigev_notify_function = on_done;
  begin(file, &by_function);
  while (atomic_load(&notified) == 0) sleep_ms(1);
  let_it_block();
  printf("notified %d\n", atomic_load(&notified));

  struct sigevent by_signal = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
  by_signal.sigev_value.sival_int = 55;
  begin(file, &by_signal);
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGRTMIN + 1);
  siginfo_t info;
  CHECK(sigwaitinfo(&wanted, &info) == SIGRTMIN + 1);
  printf("value %d, by aio %d\n", info.si_value.sival_int, info.si_code == SI_ASYNCIO);
  for (int i = 0; i < COUNT; ++i) CHECK(aio_error(&requests[i]) == 0);
  show("size", lseek(file, 0, SEEK_END));
  close(file);
}

int main(void) {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGRTMIN + 1);
  CHECK(pthread_sigmask(SIG_BLOCK, &wanted, NULL) == 0);
  in_main_and_thread(body);
  return 0;
}
