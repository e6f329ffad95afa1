// SPDX-License-Identifier: Apache-2.0
// Many threads fault at once; each one's handler waits on the thread's alternate stack, repairs the
// page and returns to where it was.

#include "support.h"

#include <stdint.h>
#include <sys/mman.h>

enum { threads = 8, pages = 4, page_bytes = 4096, stack_bytes = 65536 };
static char* memory;
static _Thread_local uintptr_t stack;

static void repair(int number, siginfo_t* information, void* context) {
  (void)context;
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  CHECK(number == SIGSEGV && here > stack && here <= stack + stack_bytes);
  sleep_ms(1);
  sigset_t now;
  OK(pthread_sigmask(SIG_BLOCK, NULL, &now));
  CHECK(sigismember(&now, SIGSEGV));
  uintptr_t page = (uintptr_t)information->si_addr & ~(uintptr_t)(page_bytes - 1);
  OK(mprotect((void*)page, page_bytes, PROT_READ | PROT_WRITE));
}

static void* touch(void* argument) {
  stack_t mine = {.ss_sp = malloc(stack_bytes), .ss_size = stack_bytes};
  CHECK(mine.ss_sp != NULL);
  stack = (uintptr_t)mine.ss_sp;
  OK(sigaltstack(&mine, NULL));
  char* own = argument;
  double sum = 0.5;
  for (int i = 0; i < pages; ++i) {
    own[i * page_bytes] = (char)(i + 1);
    sum = sum * 2 + own[i * page_bytes];
  }
  CHECK(sum == ((((0.5 * 2 + 1) * 2 + 2) * 2 + 3) * 2 + 4));
  sigset_t now;
  OK(pthread_sigmask(SIG_BLOCK, NULL, &now));
  CHECK(!sigismember(&now, SIGSEGV));
  stack_t none = {.ss_flags = SS_DISABLE};
  OK(sigaltstack(&none, NULL));
  free(mine.ss_sp);
  return NULL;
}

int main(void) {
  memory = mmap(NULL, threads * pages * page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  OK(sigaction(SIGSEGV, &action, NULL));
  pthread_t started[threads];
  for (int i = 0; i < threads; ++i) started[i] = start(touch, memory + i * pages * page_bytes);
  for (int i = 0; i < threads; ++i) join(started[i]);
  say("all repaired\n");
  return 0;
}
