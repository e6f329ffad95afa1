// SPDX-License-Identifier: Apache-2.0
// A thread that waits in F_OFD_SETLKW or flock is interrupted by a signal with EINTR.
#include "../io_support.h"

#include <sys/file.h>

static atomic_bool returned;

static void* wait_for_record(void* file) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  show("F_OFD_SETLKW", fcntl(*(int*)file, F_OFD_SETLKW, &lock));
  atomic_store(&returned, true);
  return NULL;
}

static void* wait_for_flock(void* file) {
  show("flock", flock(*(int*)file, LOCK_EX));
  atomic_store(&returned, true);
  return NULL;
}

static void interrupt(void* (*wait)(void*), int* file) {
  atomic_store(&returned, false);
  const pthread_t waiter = start(wait, file);
  // A signal that comes before the call waits is lost on it, hence more than one.
  while (!atomic_load(&returned)) {
    sleep_ms(20);
    if (!atomic_load(&returned)) CHECK(pthread_kill(waiter, SIGUSR1) == 0);
  }
  finish(waiter);
}

int main(void) {
  enter_temporary_directory();
  handle_signal(SIGUSR1, ignore_signal, 0);
  const int holder = open("locked", O_CREAT | O_RDWR, 0600);
  int other = open("locked", O_RDWR);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  CHECK(fcntl(holder, F_OFD_SETLK, &lock) == 0 && flock(holder, LOCK_EX) == 0);
  interrupt(wait_for_record, &other);
  interrupt(wait_for_flock, &other);
  return 0;
}
