// SPDX-License-Identifier: Apache-2.0
// pthread_sigqueue runs the thread's handler with the value, sender and code, and refuses bad
// numbers.

#include "support.h"

#include <stdatomic.h>

static atomic_int got, stop, id_of_target;

static void handle(int number, siginfo_t* information, void* context) {
  CHECK(number == SIGRTMIN + 3 && context != NULL && gettid() == atomic_load(&id_of_target));
  CHECK(information->si_code == SI_QUEUE && information->si_pid == getpid());
  atomic_fetch_add(&got, information->si_value.sival_int);
}
static void* wait_for_it(void* argument) {
  atomic_store(&id_of_target, gettid());
  while (!atomic_load(&stop)) sleep_ms(1000);
  return argument;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  OK(sigaction(SIGRTMIN + 3, &action, NULL));
  pthread_t thread = start(wait_for_it, NULL);
  WAIT_FOR(atomic_load(&id_of_target) != 0);
  int sum = 0;
  for (int i = 1; i <= 10; ++i) {
    OK(pthread_sigqueue(thread, SIGRTMIN + 3, (union sigval){.sival_int = i}));
    sum += i;
    WAIT_FOR(atomic_load(&got) == sum);
  }
  say("sum: %d\n", atomic_load(&got));
  say("bad number: %s %s\n", error_name(pthread_kill(thread, 1000)),
      error_name(pthread_kill(thread, -1)));
  say("number 0: %s\n", error_name(pthread_kill(thread, 0)));
  OK(pthread_cancel(thread));
  join(thread);
  return 0;
}
