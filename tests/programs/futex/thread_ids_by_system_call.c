// SPDX-License-Identifier: Apache-2.0
// syscall(SYS_gettid) is gettid, differs between threads, is the process id in main, and stays.
#include "futex.h"

enum { THREADS = 30 };
static atomic_int ids[THREADS];
static pthread_barrier_t all_there;

static void* note_id(void* index) {
  const pid_t own = gettid();
  atomic_store(&ids[(intptr_t)index], own);
  pthread_barrier_wait(&all_there);
  for (int i = 0; i < 20; ++i) {
    CHECK(syscall(SYS_gettid) == own && gettid() == own);
    CHECK(syscall(SYS_getpid) == getpid());
    CHECK(own != getpid());
    // The thread of that id exists, and belongs to this process.
    CHECK(syscall(SYS_tgkill, getpid(), own, 0) == 0);
    if (i % 5 == 0) sched_yield();
  }
  return NULL;
}

int main(void) {
  CHECK(pthread_barrier_init(&all_there, NULL, THREADS) == 0);
  CHECK(syscall(SYS_gettid) == getpid() && gettid() == getpid());
  in_threads(THREADS, note_id);
  int different = 0;
  for (int i = 0; i < THREADS; ++i) {
    bool unique = true;
    for (int j = 0; j < i; ++j) unique &= atomic_load(&ids[i]) != atomic_load(&ids[j]);
    different += unique;
  }
  printf("%d different\n", different);
  return 0;
}
