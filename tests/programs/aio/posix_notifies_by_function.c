// SPDX-License-Identifier: Apache-2.0
// An aio_read of a pipe with SIGEV_THREAD calls its function, in another thread, when data came.
#include "../io_support.h"

#include <aio.h>
#include <semaphore.h>

static sem_t notified;
static _Atomic pthread_t starter;
static struct aiocb request;

static void on_done(union sigval value) {
  CHECK(value.sival_ptr == &request);
  CHECK(!pthread_equal(pthread_self(), atomic_load(&starter)));
  CHECK(aio_error(&request) == 0);
  CHECK(sem_post(&notified) == 0);
}

static void body(void) {
  int ends[2];
  char text[16] = "";
  CHECK(pipe(ends) == 0);
  atomic_store(&starter, pthread_self());
  memset(&request, 0, sizeof request);
  request.aio_fildes = ends[0];
  request.aio_buf = text;
  request.aio_nbytes = sizeof text;
  request.aio_sigevent.sigev_notify = SIGEV_THREAD;
  request.aio_sigevent.sigev_notify_function = on_done;
  request.aio_sigevent.sigev_value.sival_ptr = &request;
  CHECK(aio_read(&request) == 0);
  let_it_block();
  printf("%s\n", strerrorname_np(aio_error(&request)));
  CHECK(write(ends[1], "arrived", 7) == 7);
  CHECK(sem_wait(&notified) == 0);
  show("read", aio_return(&request));
  printf("%s\n", text);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  CHECK(sem_init(&notified, 0, 0) == 0);
  in_main_and_thread(body);
  return 0;
}
