// SPDX-License-Identifier: Apache-2.0
// A SIGSEGV handler that makes the page writable lets the faulting write go on, in any thread.

#include "support.h"

#include <stdint.h>
#include <sys/mman.h>

enum { pages = 16, page_bytes = 4096 };
static char* memory;

static void repair(int number, siginfo_t* information, void* context) {
  (void)number;
  (void)context;
  uintptr_t page = (uintptr_t)information->si_addr & ~(uintptr_t)(page_bytes - 1);
  CHECK(page >= (uintptr_t)memory && page < (uintptr_t)memory + pages * page_bytes);
  OK(mprotect((void*)page, page_bytes, PROT_READ | PROT_WRITE));
}
static void* write_it(void* index) {
  sleep_ms(1);
  volatile char* place = memory + (intptr_t)index * page_bytes + 10;
  *place = (char)((intptr_t)index + 1);
  return NULL;
}

int main(void) {
  memory = mmap(NULL, pages * page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = repair;
  action.sa_flags = SA_SIGINFO;
  OK(sigaction(SIGSEGV, &action, NULL));
  pthread_t threads[pages];
  for (intptr_t i = 0; i < pages; ++i) threads[i] = start(write_it, (void*)i);
  for (int i = 0; i < pages; ++i) join(threads[i]);
  int sum = 0;
  for (int i = 0; i < pages; ++i) sum += memory[i * page_bytes + 10];
  say("sum: %d\n", sum);
  return 0;
}
