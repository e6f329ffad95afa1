// SPDX-License-Identifier: Apache-2.0
// A program that faults in a thread may end itself in the handler with a code of its choice.
// exits: 3

#include "support.h"

#include <sys/mman.h>

static void handle(int number) {
  (void)number;
  write_text("fault\n");
  _exit(3);
}
static void* fault(void* argument) {
  sleep_ms(2);
  *(volatile char*)argument = 1;
  return argument;
}

int main(void) {
  void* page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  on_signal(SIGSEGV, handle, 0);
  join(start(fault, page));
  return 0;
}
