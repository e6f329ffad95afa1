// SPDX-License-Identifier: Apache-2.0
// C11 thread-specific storage is per thread and destroyed at the thread's end, not for NULL.

#include "support.h"

#include <stdatomic.h>
#include <threads.h>

static tss_t key;
static atomic_int destroyed;

static void destroy(void* value) {
  CHECK(value != NULL);
  atomic_fetch_add(&destroyed, 1);
  free(value);
}
static int use(void* argument) {
  CHECK(tss_get(key) == NULL);
  int* mine = malloc(sizeof *mine);
  CHECK(mine != NULL);
  CHECK(tss_set(key, mine) == thrd_success);
  thrd_sleep(&(struct timespec){0, 1000000}, NULL);
  CHECK(tss_get(key) == mine);
  if (argument != NULL) {
    free(mine);
    CHECK(tss_set(key, NULL) == thrd_success);
  }
  return 0;
}

int main(void) {
  CHECK(tss_create(&key, destroy) == thrd_success);
  thrd_t threads[10];
  for (int i = 0; i < 10; ++i) {
    CHECK(thrd_create(&threads[i], use, i < 3 ? &key : NULL) == thrd_success);
  }
  for (int i = 0; i < 10; ++i) CHECK(thrd_join(threads[i], NULL) == thrd_success);
  say("destroyed: %d\n", atomic_load(&destroyed));
  tss_delete(key);
  return 0;
}
