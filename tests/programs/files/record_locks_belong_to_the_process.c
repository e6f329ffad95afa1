// SPDX-License-Identifier: Apache-2.0
// Record locks and lockf do not exclude threads of the same process, and all go with any close.
#include "../io_support.h"

static int file;

static void* lock_too(void* unused) {
  (void)unused;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10};
  show("F_SETLKW in a thread", fcntl(file, F_SETLKW, &lock));
  show("lockf in a thread", lockf(file, F_LOCK, 5));
  return NULL;
}

static int lock_in_child(void) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) _exit(lockf(file, F_TLOCK, 10) == 0 ? 0 : 1);
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  return WEXITSTATUS(status);
}

int main(void) {
  enter_temporary_directory();
  file = open("locked", O_CREAT | O_RDWR, 0600);
  show("lockf", lockf(file, F_LOCK, 10));
  finish(start(lock_too, NULL));
  printf("child refused %d\n", lock_in_child());
  close(open("locked", O_RDONLY));
  printf("child refused after a close %d\n", lock_in_child());
  return 0;
}
