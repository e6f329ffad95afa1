// SPDX-License-Identifier: Apache-2.0
// Two threads that fork and wait in a loop while others wait and wake lose no child and no wake-
// up.

#include "support.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/wait.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;
static atomic_int stop;

static void* play(void* argument) {
  int mine = argument != NULL;
  pthread_mutex_lock(&lock);
  while (!atomic_load(&stop)) {
    while (turn % 2 != mine && !atomic_load(&stop)) pthread_cond_wait(&changed, &lock);
    ++turn;
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* fork_often(void* argument) {
  intptr_t sum = 0;
  for (int i = 0; i < 30; ++i) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) _exit(i);
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    sum += WEXITSTATUS(status);
  }
  (void)argument;
  return (void*)sum;
}

int main(void) {
  pthread_t players[2] = {start(play, NULL), start(play, &turn)};
  pthread_t forkers[2] = {start(fork_often, NULL), start(fork_often, NULL)};
  for (int i = 0; i < 2; ++i) say("sum of codes: %d\n", (int)(intptr_t)join(forkers[i]));
  atomic_store(&stop, 1);
  pthread_mutex_lock(&lock);
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 2; ++i) join(players[i]);
  return 0;
}
