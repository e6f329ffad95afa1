// SPDX-License-Identifier: Apache-2.0
// getrusage of thread and process never shrinks and grows by the work that was done.
#include "../io_support.h"

#include <sys/resource.h>

static int64_t used_us(int who) {
  struct rusage usage;
  CHECK(getrusage(who, &usage) == 0);
  return (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
         usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

static void* work(void* unused) {
  (void)unused;
  const int64_t thread_before = used_us(RUSAGE_THREAD), process_before = used_us(RUSAGE_SELF);
  int64_t previous = thread_before;
  volatile unsigned long work = 0;
  while (previous - thread_before < 15000) {
    for (int i = 0; i < 10000; ++i) ++work;
    const int64_t now = used_us(RUSAGE_THREAD);
    CHECK(now >= previous);
    previous = now;
  }
  CHECK(used_us(RUSAGE_SELF) - process_before >= 5000);
  return NULL;
}

int main(void) {
  work(NULL);
  in_threads(3, work);
  struct rusage usage;
  show("unknown", getrusage(12345, &usage));
  show("children", getrusage(RUSAGE_CHILDREN, &usage));
  printf("grew\n");
  return 0;
}
