// SPDX-License-Identifier: Apache-2.0
// A SIGEV_THREAD timer calls its function with its value, in another thread, until it is deleted.
#include "../io_support.h"

static atomic_int calls, wrong;
static _Atomic pthread_t creator;

static void on_expiry(union sigval value) {
  if (value.sival_int != 4711 || pthread_equal(pthread_self(), creator))
    atomic_fetch_add(&wrong, 1);
  sleep_ms(1);
  atomic_fetch_add(&calls, 1);
}

static void body(void) {
  creator = pthread_self();
  atomic_store(&calls, 0);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 4711};
  event.sigev_notify_function = on_expiry;
  timer_t timer;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec often = {.it_interval = timespec_of_ns(4 * MILLISECOND_NS),
                                   .it_value = timespec_of_ns(4 * MILLISECOND_NS)};
  CHECK(timer_settime(timer, 0, &often, NULL) == 0);
  while (atomic_load(&calls) < 5) sleep_ms(2);
  CHECK(timer_delete(timer) == 0);
  printf("called five times, wrong %d\n", atomic_load(&wrong));
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
