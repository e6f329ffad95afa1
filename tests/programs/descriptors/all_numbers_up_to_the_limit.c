// SPDX-License-Identifier: Apache-2.0
// A program may open as many files as its limit says, before its first thread and beside threads.

#include "busy.h"

#include <sys/resource.h>

static int open_all(void) {
  int opened = 0;
  while (open("/dev/null", O_RDONLY) >= 0) ++opened;
  CHECK(errno == EMFILE);
  return opened;
}

static void* open_and_close_all(void* argument) {
  say("in a thread: %d\n", open_all());
  closefrom(3);
  return argument;
}

int main(void) {
  struct rlimit limit;
  OK(getrlimit(RLIMIT_NOFILE, &limit));
  limit.rlim_cur = 64;
  OK(setrlimit(RLIMIT_NOFILE, &limit));
  say("alone: %d\n", open_all());
  pthread_t thread;
  OK(pthread_create(&thread, NULL, answer_bytes, &(int){3}));  // reads the end of a file
  join(thread);
  closefrom(3);
  say("beside threads: %d\n", open_all());
  closefrom(3);
  join(start(open_and_close_all, NULL));
  OK(getrlimit(RLIMIT_NOFILE, &limit));
  say("the limit is %d\n", (int)limit.rlim_cur);
  play();
  return 0;
}
