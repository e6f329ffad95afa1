// SPDX-License-Identifier: Apache-2.0
// A program that execs itself sees its new arguments, makes threads again and ends with its own
// code.
// exits: 21

#include "support.h"

static void* nap(void* argument) {
  sleep_ms(2);
  return argument;
}

int main(int count, char** arguments) {
  int generation = count > 1 ? atoi(arguments[1]) : 0;
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = start(nap, &generation);
  for (int i = 0; i < 4; ++i) CHECK(join(threads[i]) == &generation);
  say("generation %d\n", generation);
  if (generation == 3) return 21;
  char next[16];
  snprintf(next, sizeof next, "%d", generation + 1);
  execl("/proc/self/exe", "exec_itself", next, (char*)NULL);
  return 1;
}
