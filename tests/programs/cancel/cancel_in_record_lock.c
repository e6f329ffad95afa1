// SPDX-License-Identifier: Apache-2.0
// fcntl(F_SETLKW) that waits for another process's lock is a cancellation point.

#include "support.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "cancelling.h"

static int file;

static void in_lock(void) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  CHECK(fcntl(file, F_SETLKW, &lock) == 99);
}

int main(void) {
  int locked[2], end[2];
  OK(pipe(locked));
  OK(pipe(end));
  file = open("locked", O_RDWR | O_CREAT, 0600);
  CHECK(file >= 0);
  pid_t child = fork();
  CHECK(child >= 0);
  char byte = 0;
  if (child == 0) {
    close(end[1]);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    OK(fcntl(file, F_SETLK, &lock));
    CHECK(write(locked[1], &byte, 1) == 1);
    _exit(read(end[0], &byte, 1) == 0 ? 0 : 1);
  }
  CHECK(read(locked[0], &byte, 1) == 1);
  cancel_in("fcntl", in_lock);
  close(end[1]);
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  OK(unlink("locked"));
  return 0;
}
