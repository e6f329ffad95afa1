// SPDX-License-Identifier: Apache-2.0
// Thread-local data of a library loaded while threads run is per thread and stays at its place
// across waits.

#include "support.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>

typedef int* (*Counter)(void);
static _Atomic(Counter) counter;
static int* addresses[8];
static pthread_barrier_t together;

static void* use(void* index) {
  WAIT_FOR(atomic_load(&counter) != NULL);
  int* mine = atomic_load(&counter)();
  intptr_t number = (intptr_t)index;
  addresses[number] = mine;
  for (int i = 0; i < number; ++i) {
    ++*atomic_load (&counter)();
    sleep_ms(1);
  }
  pthread_barrier_wait(&together);
  CHECK(mine == atomic_load(&counter)() && *mine == 1000 + number);
  for (int i = 0; i < 8; ++i) CHECK(i == number || addresses[i] != mine);
  pthread_barrier_wait(&together);
  return NULL;
}

int main(void) {
  OK(pthread_barrier_init(&together, NULL, 8));
  pthread_t threads[8];
  for (intptr_t i = 0; i < 8; ++i) threads[i] = start(use, (void*)i);
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
  CHECK(length > 0);
  path[length] = '\0';
  strcpy(strrchr(path, '/'), "/late_storage_library.so");
  void* library = dlopen(path, RTLD_NOW);
  CHECK(library != NULL);
  void* symbol = dlsym(library, "late_counter");
  CHECK(symbol != NULL);
  Counter function;
  memcpy(&function, &symbol, sizeof function);
  atomic_store(&counter, function);
  for (int i = 0; i < 8; ++i) join(threads[i]);
  say("main's: %d\n", *function());
  return 0;
}
