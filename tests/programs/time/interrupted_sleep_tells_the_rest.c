// SPDX-License-Identifier: Apache-2.0
// A sleep that a signal interrupts fails with EINTR and tells the time that was left.
#include "../io_support.h"

static atomic_bool returned;

static void* sleep_nanoseconds(void* unused) {
  (void)unused;
  const struct timespec long_time = {.tv_sec = 1000};
  struct timespec left = {0, 0};
  show("nanosleep", nanosleep(&long_time, &left));
  printf("left in range %d\n", left.tv_sec > 900 && left.tv_sec < 1000);
  atomic_store(&returned, true);
  return NULL;
}

static void* sleep_on_clock(void* unused) {
  (void)unused;
  const struct timespec long_time = {.tv_sec = 1000};
  struct timespec left = {0, 0};
  printf("clock_nanosleep: %s\n",
         strerrorname_np(clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, &left)));
  printf("left in range %d\n", left.tv_sec > 900 && left.tv_sec < 1000);
  atomic_store(&returned, true);
  return NULL;
}

static void* sleep_absolutely(void* unused) {
  (void)unused;
  const struct timespec deadline = timespec_of_ns(now_ns() + 1000000 * MILLISECOND_NS);
  struct timespec left = {7, 7};
  printf("absolute: %s\n",
         strerrorname_np(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, &left)));
  printf("left untouched %d\n", left.tv_sec == 7 && left.tv_nsec == 7);
  atomic_store(&returned, true);
  return NULL;
}

static void* sleep_seconds(void* unused) {
  (void)unused;
  const unsigned left = sleep(1000);
  printf("sleep: left in range %d\n", left > 900 && left <= 1000);
  atomic_store(&returned, true);
  return NULL;
}

static void interrupt(void* (*body)(void*)) {
  atomic_store(&returned, false);
  const pthread_t sleeper = start(body, NULL);
  // A signal that comes before the sleep began is lost on it, hence more than one.
  while (!atomic_load(&returned)) {
    sleep_ms(20);
    if (!atomic_load(&returned)) CHECK(pthread_kill(sleeper, SIGUSR1) == 0);
  }
  finish(sleeper);
}

int main(void) {
  handle_signal(SIGUSR1, ignore_signal, SA_RESTART);
  interrupt(sleep_nanoseconds);
  interrupt(sleep_on_clock);
  interrupt(sleep_absolutely);
  interrupt(sleep_seconds);
  return 0;
}
