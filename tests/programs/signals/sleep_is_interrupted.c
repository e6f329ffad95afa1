// SPDX-License-Identifier: Apache-2.0
// A signal ends nanosleep with EINTR and the time that is left, and sleep with the seconds left.

#include "support.h"

#include <stdatomic.h>

static atomic_int finished;

static void handle(int number) {
  (void)number;
}

static void* in_nanosleep(void* argument) {
  struct timespec left = {0, 0};
  int result = nanosleep(&(struct timespec){1000, 0}, &left);
  say("nanosleep: %d %s, left: %d\n", result, error_name(errno),
      left.tv_sec > 900 && left.tv_sec <= 1000);
  atomic_store(&finished, 1);
  return argument;
}
static void* in_sleep(void* argument) {
  unsigned left = sleep(1000);
  say("sleep left: %d\n", left > 900 && left <= 1000);
  atomic_store(&finished, 1);
  return argument;
}
static void* in_clock_nanosleep(void* argument) {
  struct timespec until = after_ms(CLOCK_MONOTONIC, 1000000);
  int error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
  say("clock_nanosleep: %s\n", error_name(error));
  atomic_store(&finished, 1);
  return argument;
}

static void disturb(void* (*function)(void*)) {
  atomic_store(&finished, 0);
  pthread_t thread = start(function, NULL);
  while (!atomic_load(&finished)) {
    OK(pthread_kill(thread, SIGUSR1));
    sleep_ms(5);
  }
  join(thread);
}

int main(void) {
  on_signal(SIGUSR1, handle, SA_RESTART);
  disturb(in_nanosleep);
  disturb(in_sleep);
  disturb(in_clock_nanosleep);
  return 0;
}
