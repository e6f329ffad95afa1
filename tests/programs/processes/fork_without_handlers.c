// SPDX-License-Identifier: Apache-2.0
// _Fork() and the system call make a child without the handlers of pthread_atfork().
#include "../io_support.h"

#include <sys/syscall.h>

static atomic_int handlers_run;

static void count(void) {
  atomic_fetch_add(&handlers_run, 1);
}

static void* return_argument(void* argument) {
  return argument;
}

// In the child, which may make threads again.
static int handlers_seen_by_child(void) {
  void* result;
  CHECK(pthread_join(start(return_argument, &handlers_run), &result) == 0);
  return result == &handlers_run ? atomic_load(&handlers_run) : 99;
}

static void show_child(const char* how, pid_t child) {
  CHECK(child >= 0);
  if (child == 0) _exit(handlers_seen_by_child());
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  printf("%s: %d in the child, %d here\n", how, WEXITSTATUS(status), atomic_load(&handlers_run));
  fflush(stdout);
}

static void* make_children(void* unused) {
  show_child("_Fork", _Fork());
  show_child("system call", (pid_t)syscall(SYS_fork));
  show_child("fork", fork());
  return unused;
}

int main(void) {
  CHECK(pthread_atfork(count, count, count) == 0);
  finish(start(make_children, NULL));
  make_children(NULL);
  return 0;
}
