// SPDX-License-Identifier: Apache-2.0
// A child that inherits a pipe a thread has waited on finds it blocking and can wait on it itself.
#include "../io_support.h"

static int ends[2], answers[2];

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(ends[1], "a", 1) == 1);
  return NULL;
}

static void body(void) {
  char byte;
  CHECK(pipe(ends) == 0 && pipe(answers) == 0);
  const pthread_t writer = start(write_later, NULL);
  CHECK(read(ends[0], &byte, 1) == 1);
  finish(writer);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    if ((fcntl(ends[0], F_GETFL) & O_NONBLOCK) != 0) _exit(1);
    if (read(ends[0], &byte, 1) != 1) _exit(2);
    if (write(answers[1], &byte, 1) != 1) _exit(3);
    _exit(40);
  }
  let_it_block();
  CHECK(write(ends[1], "b", 1) == 1);
  CHECK(read(answers[0], &byte, 1) == 1);
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  printf("child got %c, exit code %d\n", byte, WEXITSTATUS(status));
  for (int i = 0; i < 2; ++i) close(ends[i]), close(answers[i]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
