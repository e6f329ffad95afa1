// SPDX-License-Identifier: Apache-2.0
// A fault in a thread without a handler ends the process by SIGSEGV.
// exits: SIGSEGV

#include "support.h"

#include <sys/mman.h>

static void* fault(void* argument) {
  sleep_ms(2);
  say("before the fault\n");
  *(volatile char*)argument = 1;
  return argument;
}

int main(void) {
  void* page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  join(start(fault, page));
  return 0;
}
