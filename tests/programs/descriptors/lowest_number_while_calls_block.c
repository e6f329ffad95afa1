// SPDX-License-Identifier: Apache-2.0
// Who closes a descriptor and opens a file gets that number, also while others block in system
// calls that only the kernel sees.
#include "../support.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int stop;

static void nap_by_instruction(void) {
  const struct timespec time = {.tv_nsec = 12000000};
#if defined(__x86_64__)
  long result = 35;  // nanosleep
  __asm__ volatile("syscall" : "+a"(result) : "D"(&time), "S"(NULL) : "rcx", "r11", "memory");
#else
  nanosleep(&time, NULL);
#endif
}

static void* nap(void* argument) {
  (void)argument;
  while (!stop) nap_by_instruction();
  return NULL;
}

static void* replace(void* argument) {
  (void)argument;
  for (int i = 0; i < 60000; ++i) {
    CHECK(close(0) == 0);
    CHECK(open("/dev/null", O_RDONLY) == 0);
  }
  return NULL;
}

int main(void) {
  pthread_t busy[3], replacer;
  for (int i = 0; i < 3; ++i) CHECK(pthread_create(&busy[i], NULL, nap, NULL) == 0);
  CHECK(pthread_create(&replacer, NULL, replace, NULL) == 0);
  CHECK(pthread_join(replacer, NULL) == 0);
  stop = 1;
  for (int i = 0; i < 3; ++i) CHECK(pthread_join(busy[i], NULL) == 0);
  puts("always 0");
  return 0;
}
