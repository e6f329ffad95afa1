// SPDX-License-Identifier: Apache-2.0
// Threads, locks, conditions, sleeps and a signal, while the system refuses things.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "tell.h"

enum { threads = 6, rounds = 200 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long count;

static volatile sig_atomic_t signalled;

static void on_signal(int number) {
  signalled = number;
}

static void* add(void* argument) {
  for (int i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&mutex);
    ++count;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    if (i % 50 == 0) nanosleep(&(struct timespec){0, 100000}, NULL);
  }
  char* memory = malloc(100000);
  if (memory != NULL) memory[0] = 1;
  free(memory);
  return argument;
}

int main(void) {
  pthread_t all[threads];
  signal(SIGALRM, on_signal);
  for (int i = 0; i < threads; ++i) MUST(pthread_create(&all[i], NULL, add, NULL));
  MUST(setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 1000}}, NULL));
  while (signalled == 0) nanosleep(&(struct timespec){0, 100000}, NULL);
  pthread_mutex_lock(&mutex);
  while (count < threads * rounds) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < threads; ++i) MUST(pthread_join(all[i], NULL));
  dprintf(STDOUT_FILENO, "%ld\n", count);
  return 0;
}
