// SPDX-License-Identifier: Apache-2.0
// A thousand threads sleep to four deadlines far apart; they wake in the order of the deadlines.
#include "../io_support.h"

enum { THREADS = 1000, GROUPS = 4, GROUP_DISTANCE_MS = 150, ATTEMPTS = 5 };
static int64_t first_deadline_ns;
static atomic_int next_place;
static atomic_int places[THREADS];

static void* sleep_to_deadline(void* index) {
  // Neighbours belong to different groups, so that the order of creation does not help.
  const int group = GROUPS - 1 - (int)((intptr_t)index % GROUPS);
  const int64_t deadline_ns = first_deadline_ns + group * GROUP_DISTANCE_MS * MILLISECOND_NS;
  const struct timespec deadline = timespec_of_ns(deadline_ns);
  CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) == 0);
  CHECK(now_ns() >= deadline_ns);
  atomic_store(&places[atomic_fetch_add(&next_place, 1)], group);
  return NULL;
}

static bool sleep_once(void) {
  static pthread_t threads[THREADS];
  pthread_attr_t small;
  CHECK(pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, 65536) == 0);
  atomic_store(&next_place, 0);
  first_deadline_ns = now_ns() + 400 * MILLISECOND_NS;
  for (intptr_t i = 0; i < THREADS; ++i) {
    CHECK(pthread_create(&threads[i], &small, sleep_to_deadline, (void*)i) == 0);
  }
  for (int i = 0; i < THREADS; ++i) finish(threads[i]);
  for (int i = 1; i < THREADS; ++i) {
    if (atomic_load(&places[i]) < atomic_load(&places[i - 1])) return false;
  }
  return true;
}

int main(void) {
  // A machine that stood still for longer than the distance may spoil an attempt, not all of them.
  bool in_order = false;
  for (int i = 0; i < ATTEMPTS && !in_order; ++i) in_order = sleep_once();
  printf("in order %d\n", in_order);
  return 0;
}
