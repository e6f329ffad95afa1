// SPDX-License-Identifier: Apache-2.0
// What libc keeps for each thread (strerror's buffer, strtok_r's place, random states) is not
// mixed up by waits.

#include "support.h"

#include <stdint.h>

static void* use(void* index) {
  int mine = (int)(intptr_t)index;
  char text[64], expected[64];
  snprintf(expected, sizeof expected, "Unknown error %d", 10000 + mine);
  for (int round = 0; round < 5; ++round) {
    const char* message = strerror(10000 + mine);
    snprintf(text, sizeof text, "%d,%d,%d", mine, mine + 1, mine + 2);
    char* place;
    int sum = 0;
    for (char* word = strtok_r(text, ",", &place); word; word = strtok_r(NULL, ",", &place)) {
      sum += atoi(word);
      sleep_ms(1);
    }
    CHECK(sum == 3 * mine + 3 && strcmp(message, expected) == 0);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[8];
  for (intptr_t i = 0; i < 8; ++i) threads[i] = start(use, (void*)(i + 1));
  for (int i = 0; i < 8; ++i) join(threads[i]);
  say("nothing is mixed up\n");
  return 0;
}
