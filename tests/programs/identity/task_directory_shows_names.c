// SPDX-License-Identifier: Apache-2.0
// /proc/self/task/TID/comm of a thread's own id shows the name that the thread gave itself.

#include "support.h"

#include <fcntl.h>
#include <stdint.h>

static pthread_barrier_t named;

static void read_name(pid_t id, char* name, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)id);
  int file = open(path, O_RDONLY);
  CHECK(file >= 0);
  ssize_t length = read(file, name, size - 1);
  CHECK(length > 0);
  name[length - 1] = '\0';
  close(file);
}

static pid_t ids[4];

static void* be_named(void* index) {
  intptr_t mine = (intptr_t)index;
  char name[16];
  snprintf(name, sizeof name, "thread %d", (int)mine);
  OK(pthread_setname_np(pthread_self(), name));
  ids[mine] = gettid();
  pthread_barrier_wait(&named);
  pthread_barrier_wait(&named);
  return NULL;
}

int main(void) {
  OK(pthread_barrier_init(&named, NULL, 5));
  pthread_t threads[4];
  for (intptr_t i = 0; i < 4; ++i) threads[i] = start(be_named, (void*)i);
  pthread_barrier_wait(&named);
  for (int i = 0; i < 4; ++i) {
    char name[32];
    read_name(ids[i], name, sizeof name);
    say("%s\n", name);
  }
  pthread_barrier_wait(&named);
  for (int i = 0; i < 4; ++i) join(threads[i]);
  return 0;
}
