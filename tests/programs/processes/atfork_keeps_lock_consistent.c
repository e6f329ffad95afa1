// SPDX-License-Identifier: Apache-2.0
// A lock taken by atfork handlers is consistent in each child, though threads use it all the time.

#include "support.h"

#include <stdatomic.h>
#include <sys/wait.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long first, second;
static atomic_int stop;

static void take(void) {
  pthread_mutex_lock(&lock);
}
static void give(void) {
  pthread_mutex_unlock(&lock);
}

static void* change(void* argument) {
  while (!atomic_load(&stop)) {
    pthread_mutex_lock(&lock);
    ++first;
    if (first % 64 == 0) usleep(100);
    ++second;
    pthread_mutex_unlock(&lock);
  }
  return argument;
}

int main(void) {
  OK(pthread_atfork(take, give, give));
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = start(change, NULL);
  int good = 0;
  for (int i = 0; i < 20; ++i) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      pthread_mutex_lock(&lock);
      _exit(first == second ? 0 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    good += status == 0;
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < 4; ++i) join(threads[i]);
  say("good children: %d\n", good);
  return 0;
}
