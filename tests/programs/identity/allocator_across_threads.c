// SPDX-License-Identifier: Apache-2.0
// Memory is allocated in one thread, grown in the next and freed in a third, with waits in
// between.

#include "support.h"

enum { blocks = 200, stages = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static char* queue[stages][blocks];
static int put[stages], taken[stages];

static void give(int stage, char* block) {
  pthread_mutex_lock(&lock);
  queue[stage][put[stage]++] = block;
  pthread_cond_broadcast(&moved);
  pthread_mutex_unlock(&lock);
}
static char* take(int stage) {
  pthread_mutex_lock(&lock);
  while (taken[stage] == put[stage]) pthread_cond_wait(&moved, &lock);
  char* block = queue[stage][taken[stage]++];
  pthread_mutex_unlock(&lock);
  return block;
}

static void* grow(void* argument) {
  for (int i = 0; i < blocks; ++i) {
    char* block = realloc(take(0), (size_t)(i + 1) * 100);
    CHECK(block != NULL && block[0] == (char)i);
    memset(block, i + 1, (size_t)(i + 1) * 100);
    give(1, block);
  }
  return argument;
}
static void* release(void* argument) {
  for (int i = 0; i < blocks; ++i) {
    char* block = take(1);
    CHECK(block[(i + 1) * 100 - 1] == (char)(i + 1));
    free(block);
  }
  return argument;
}

int main(void) {
  pthread_t growing = start(grow, NULL), releasing = start(release, NULL);
  for (int i = 0; i < blocks; ++i) {
    char* block = malloc((size_t)i % 50 + 1);
    CHECK(block != NULL);
    block[0] = (char)i;
    give(0, block);
  }
  join(growing);
  join(releasing);
  say("blocks: %d\n", taken[1]);
  return 0;
}
