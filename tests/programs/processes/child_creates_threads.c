// SPDX-License-Identifier: Apache-2.0
// A child forked by a program with threads can make threads, locks and waits of its own.

#include "support.h"

#include <sys/wait.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void* play(void* argument) {
  int mine = argument != NULL;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 200; ++i) {
    while (turn % 2 != mine) pthread_cond_wait(&changed, &lock);
    ++turn;
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void play_both(const char* who) {
  pthread_t first = start(play, NULL), second = start(play, &turn);
  sleep_ms(2);
  join(first);
  join(second);
  say("%s: %d turns\n", who, turn);
  turn = 0;
}

int main(void) {
  play_both("parent");
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    play_both("child");
    play_both("child again");
    exit(6);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  say("child's code %d\n", WEXITSTATUS(status));
  play_both("parent again");
  return 0;
}
