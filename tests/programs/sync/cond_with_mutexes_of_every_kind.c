// SPDX-License-Identifier: Apache-2.0
// A condition works with robust, inheriting and shared mutexes as with any other.
#include "../io_support.h"

enum { ROUNDS = 300, PLAYERS = 4 };
static pthread_mutex_t mutex;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int turn, timeouts;

static void* play(void* number) {
  const int own = (int)(intptr_t)number;
  for (int i = 0; i < ROUNDS; ++i) {
    CHECK(pthread_mutex_lock(&mutex) == 0);
    while (turn % PLAYERS != own) CHECK(pthread_cond_wait(&condition, &mutex) == 0);
    ++turn;
    CHECK(pthread_cond_broadcast(&condition) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
  }
  return NULL;
}

// A wait that ends by time has the mutex again.
static void* time_out(void* unused) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_nsec += 20 * 1000 * 1000;
  if (soon.tv_nsec >= 1000 * 1000 * 1000) {
    soon.tv_nsec -= 1000 * 1000 * 1000;
    ++soon.tv_sec;
  }
  int error = 0;
  while (error == 0) error = pthread_cond_timedwait(&condition, &mutex, &soon);
  CHECK(error == ETIMEDOUT);
  ++timeouts;
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  return unused;
}

static void unlock(void* locked) {
  CHECK(pthread_mutex_unlock(locked) == 0);
}

static void* wait_to_be_cancelled(void* unused) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  pthread_cleanup_push(unlock, &mutex);
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(0);
  return unused;
}

static void play_with(const char* kind, const pthread_mutexattr_t* attributes) {
  CHECK(pthread_mutex_init(&mutex, attributes) == 0);
  turn = timeouts = 0;
  pthread_t players[PLAYERS];
  for (intptr_t i = 0; i < PLAYERS; ++i) players[i] = start(play, (void*)i);
  const pthread_t late = start(time_out, NULL);
  for (int i = 0; i < PLAYERS; ++i) finish(players[i]);
  finish(late);
  const pthread_t cancelled = start(wait_to_be_cancelled, NULL);
  let_it_block();
  void* result;
  CHECK(pthread_cancel(cancelled) == 0 && pthread_join(cancelled, &result) == 0);
  printf("%s: %d turns, %d late, %s\n", kind, turn, timeouts,
         result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
  CHECK(pthread_mutex_trylock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
  CHECK(pthread_mutex_destroy(&mutex) == 0);
}

int main(void) {
  pthread_mutexattr_t attributes;
  CHECK(pthread_mutexattr_init(&attributes) == 0);
  play_with("plain", &attributes);
  CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
  play_with("inheriting", &attributes);
  CHECK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
  play_with("robust and inheriting", &attributes);
  CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_NONE) == 0);
  play_with("robust", &attributes);
  CHECK(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
  play_with("robust and shared", &attributes);

  // Who does not hold the mutex cannot wait with it.
  CHECK(pthread_mutex_init(&mutex, &attributes) == 0);
  printf("not held: %s\n", strerror(pthread_cond_wait(&condition, &mutex)));
  return 0;
}
