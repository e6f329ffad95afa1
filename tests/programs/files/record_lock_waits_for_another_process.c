// SPDX-License-Identifier: Apache-2.0
// F_SETLKW in a thread waits for the lock of another process; F_GETLK names its holder.
#include "../io_support.h"

static struct flock whole(short type) {
  return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 100};
}

static void body(void) {
  const int file = open("locked", O_CREAT | O_RDWR, 0600);
  int ready[2], go[2];
  CHECK(pipe(ready) == 0 && pipe(go) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    struct flock lock = whole(F_WRLCK);
    char byte = 'r';
    if (fcntl(file, F_SETLK, &lock) != 0) _exit(1);
    if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1) _exit(2);
    usleep(30000);
    if (pwrite(file, "child", 5, 0) != 5) _exit(3);
    _exit(0);
  }
  char byte, text[6] = "";
  CHECK(read(ready[0], &byte, 1) == 1);
  struct flock lock = whole(F_WRLCK);
  CHECK(fcntl(file, F_SETLK, &lock) == -1 && (errno == EAGAIN || errno == EACCES));
  lock = whole(F_WRLCK);
  CHECK(fcntl(file, F_GETLK, &lock) == 0);
  printf("held by the child %d\n", lock.l_type == F_WRLCK && lock.l_pid == child);
  CHECK(write(go[1], "g", 1) == 1);
  lock = whole(F_WRLCK);
  show("waiting", fcntl(file, F_SETLKW, &lock));
  CHECK(pread(file, text, 5, 0) == 5);
  printf("%s\n", text);
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  printf("exit code %d\n", WEXITSTATUS(status));
  for (int i = 0; i < 2; ++i) close(ready[i]), close(go[i]);
  close(file);
  unlink("locked");
}

int main(void) {
  enter_temporary_directory();
  in_main_and_thread(body);
  return 0;
}
