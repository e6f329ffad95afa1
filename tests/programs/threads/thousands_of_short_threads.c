// SPDX-License-Identifier: Apache-2.0
// Four thousand threads, made and joined in batches, all run exactly once.

#include "support.h"

enum { batches = 40, batch = 100 };
static unsigned char ran[batches * batch];

static void* mark(void* place) {
  ++*(unsigned char*)place;
  return place;
}

int main(void) {
  for (int i = 0; i < batches; ++i) {
    pthread_t threads[batch];
    for (int j = 0; j < batch; ++j) threads[j] = start(mark, &ran[i * batch + j]);
    for (int j = 0; j < batch; ++j) CHECK(join(threads[j]) == &ran[i * batch + j]);
  }
  int sum = 0;
  for (int i = 0; i < batches * batch; ++i) sum += ran[i] == 1;
  say("ran once: %d\n", sum);
  return 0;
}
