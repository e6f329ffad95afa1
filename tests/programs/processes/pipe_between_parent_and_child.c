// SPDX-License-Identifier: Apache-2.0
// A megabyte goes through two pipes to a child and back, written and read by different threads.

#include "support.h"

#include <sys/wait.h>

enum { total = 1 << 20 };
static int to_child[2], from_child[2];

static void* write_all(void* argument) {
  char block[5000];
  for (int written = 0; written < total;) {
    int size = total - written < (int)sizeof block ? total - written : (int)sizeof block;
    for (int i = 0; i < size; ++i) block[i] = (char)((written + i) % 251);
    for (int done = 0; done < size;) {
      ssize_t count = write(to_child[1], block + done, (size_t)(size - done));
      CHECK(count > 0);
      done += (int)count;
    }
    written += size;
  }
  OK(close(to_child[1]));
  return argument;
}

int main(void) {
  OK(pipe(to_child));
  OK(pipe(from_child));
  pid_t child = fork();
  CHECK(child >= 0);
  char block[8192];
  if (child == 0) {
    close(to_child[1]);
    close(from_child[0]);
    for (ssize_t count; (count = read(to_child[0], block, sizeof block)) > 0;) {
      for (ssize_t done = 0; done < count;) {
        ssize_t more = write(from_child[1], block + done, (size_t)(count - done));
        CHECK(more > 0);
        done += more;
      }
    }
    _exit(0);
  }
  close(to_child[0]);
  close(from_child[1]);
  pthread_t writer = start(write_all, NULL);
  int received = 0;
  for (ssize_t count; (count = read(from_child[0], block, sizeof block)) > 0;) {
    for (ssize_t i = 0; i < count; ++i) CHECK(block[i] == (char)((received + (int)i) % 251));
    received += (int)count;
  }
  join(writer);
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  say("received: %d\n", received);
  return 0;
}
