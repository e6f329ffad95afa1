// SPDX-License-Identifier: Apache-2.0
// A SIGSEGV handler runs in the thread that faulted, is told the address, and may jump out with
// the mask restored.

#include "support.h"

#include <setjmp.h>
#include <sys/mman.h>

static char* page;
static _Thread_local sigjmp_buf back;
static _Thread_local void* told_address;
static _Thread_local pid_t told_id;

static void handle(int number, siginfo_t* information, void* context) {
  (void)context;
  CHECK(number == SIGSEGV && information->si_code == SEGV_ACCERR);
  told_address = information->si_addr;
  told_id = gettid();
  siglongjmp(back, 1);
}

static void* fault(void* argument) {
  for (int round = 0; round < 5; ++round) {
    sleep_ms(1);
    volatile char* address = page + round;
    if (sigsetjmp(back, 1) == 0) {
      *address = 1;
      say("never printed\n");
    }
    CHECK(told_address == page + round && told_id == gettid());
    sigset_t mask;
    OK(pthread_sigmask(SIG_SETMASK, NULL, &mask));
    CHECK(sigismember(&mask, SIGSEGV) == 0);
  }
  return argument;
}

int main(void) {
  page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  OK(sigaction(SIGSEGV, &action, NULL));
  pthread_t threads[6];
  for (int i = 0; i < 6; ++i) threads[i] = start(fault, NULL);
  fault(NULL);
  for (int i = 0; i < 6; ++i) join(threads[i]);
  say("each caught its own\n");
  return 0;
}
