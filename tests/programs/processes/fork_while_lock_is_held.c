// SPDX-License-Identifier: Apache-2.0
// A child forked while another thread holds a lock finds it locked, and everything else usable.

#include "support.h"

#include <sys/wait.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t is_held, may_release;
static int value;

static void* hold(void* argument) {
  OK(pthread_mutex_lock(&held));
  OK(sem_post(&is_held));
  while (sem_wait(&may_release) != 0) {
  }
  OK(pthread_mutex_unlock(&held));
  return argument;
}
static void* set(void* argument) {
  OK(pthread_mutex_lock(&other));
  value = 1;
  OK(pthread_cond_signal(&changed));
  OK(pthread_mutex_unlock(&other));
  return argument;
}
static void* try_it(void* argument) {
  say("held: %s\n", error_name(pthread_mutex_trylock(&held)));
  return argument;
}

int main(void) {
  OK(sem_init(&is_held, 0, 0));
  OK(sem_init(&may_release, 0, 0));
  pthread_t holder = start(hold, NULL);
  OK(sem_wait(&is_held));
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    join(start(try_it, NULL));
    struct timespec until = after_ms(CLOCK_REALTIME, 10);
    say("timed: %s\n", error_name(pthread_mutex_timedlock(&held, &until)));
    OK(pthread_mutex_lock(&other));
    pthread_t setter = start(set, NULL);
    while (value == 0) OK(pthread_cond_wait(&changed, &other));
    OK(pthread_mutex_unlock(&other));
    join(setter);
    say("value: %d\n", value);
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  OK(sem_post(&may_release));
  join(holder);
  OK(pthread_mutex_lock(&held));
  say("released in the parent\n");
  return 0;
}
