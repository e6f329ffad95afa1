// SPDX-License-Identifier: Apache-2.0
// Twenty threads each have a SIGEV_THREAD_ID timer; every signal interrupts its own thread.
#include "../io_support.h"

static _Thread_local volatile sig_atomic_t own_value;
static _Thread_local volatile sig_atomic_t ticks;
static atomic_int wrong;

static void tick(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)context;
  if (info->si_value.sival_int != own_value) atomic_fetch_add(&wrong, 1);
  ++ticks;
}

static void* wait_for_own_ticks(void* index) {
  own_value = (sig_atomic_t)(intptr_t)index;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
  event.sigev_value.sival_int = (int)(intptr_t)index;
  event._sigev_un._tid = gettid();
  timer_t timer;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec often = {.it_interval = timespec_of_ns(5 * MILLISECOND_NS),
                                   .it_value = timespec_of_ns(5 * MILLISECOND_NS)};
  CHECK(timer_settime(timer, 0, &often, NULL) == 0);
  while (ticks < 5) {
    const struct timespec nap = timespec_of_ns(3 * MILLISECOND_NS);
    nanosleep(&nap, NULL);
  }
  CHECK(timer_delete(timer) == 0);
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = tick, .sa_flags = SA_SIGINFO};
  sigemptyset(&action.sa_mask);
  CHECK(sigaction(SIGRTMIN, &action, NULL) == 0);
  in_threads(20, wait_for_own_ticks);
  printf("wrong thread: %d\n", atomic_load(&wrong));
  return 0;
}
