// SPDX-License-Identifier: Apache-2.0
// An inotify read waits for the change that another thread makes in the directory.
#include "../io_support.h"

#include <sys/inotify.h>

static void* create_later(void* name) {
  let_it_block();
  const int fd = open(name, O_CREAT | O_WRONLY, 0600);
  CHECK(fd >= 0);
  close(fd);
  return NULL;
}

static void watch(char* name) {
  const int fd = inotify_init1(IN_CLOEXEC);
  CHECK(inotify_add_watch(fd, ".", IN_CREATE) >= 0);
  const pthread_t creator = start(create_later, name);
  union {
    struct inotify_event event;
    char bytes[4096];
  } buffer;
  CHECK(read(fd, &buffer, sizeof buffer) > 0);
  printf("created %s: %d\n", buffer.event.name, (buffer.event.mask & IN_CREATE) != 0);
  finish(creator);
  close(fd);
}

static void* watch_in_thread(void* unused) {
  (void)unused;
  watch("second");
  return NULL;
}

int main(void) {
  enter_temporary_directory();
  watch("first");
  finish(start(watch_in_thread, NULL));
  return 0;
}
