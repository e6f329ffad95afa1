// SPDX-License-Identifier: Apache-2.0
// Two processes that wait for each other's record locks: one gets EDEADLK, none hangs.
#include "../io_support.h"

static int file;

static int lock_byte(int command, off_t byte) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  return fcntl(file, command, &lock);
}

static void* wait_for_first(void* unused) {
  (void)unused;
  const int result = lock_byte(F_SETLKW, 0);
  const int error = errno;
  return (void*)(intptr_t)(result == 0 ? 0 : error);
}

int main(void) {
  file = temporary_file();
  int ready[2], answer[2];
  CHECK(pipe(ready) == 0 && pipe(answer) == 0);
  CHECK(lock_byte(F_SETLK, 0) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    char byte = 'r';
    if (lock_byte(F_SETLK, 1) != 0 || write(ready[1], &byte, 1) != 1) _exit(1);
    const intptr_t error = (intptr_t)finish(start(wait_for_first, NULL));
    _exit(error == 0 ? 10 : error == EDEADLK ? 11 : 12);
  }
  char byte;
  CHECK(read(ready[0], &byte, 1) == 1);
  let_it_block();
  const int result = lock_byte(F_SETLKW, 1);
  CHECK(result == 0 || errno == EDEADLK);
  const int mine = result == 0 ? 0 : 1;
  struct flock release = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
  CHECK(fcntl(file, F_SETLK, &release) == 0);
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  printf("exactly one deadlock: %d\n", mine + (WEXITSTATUS(status) == 11) == 1);
  return 0;
}
