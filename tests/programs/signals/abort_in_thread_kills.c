// SPDX-License-Identifier: Apache-2.0
// abort in a thread ends the process by SIGABRT.
// exits: SIGABRT

#include "support.h"

static void* give_up(void* argument) {
  sleep_ms(2);
  say("giving up\n");
  abort();
  return argument;
}

int main(void) {
  join(start(give_up, NULL));
  return 0;
}
