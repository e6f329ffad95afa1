// SPDX-License-Identifier: Apache-2.0
// A limit of open descriptors set by one thread holds for all: pipe, open, dup and accept get
// EMFILE.
#include "../io_support.h"

#include <sys/resource.h>

static struct rlimit original;

static void* lower_limit(void* unused) {
  (void)unused;
  CHECK(getrlimit(RLIMIT_NOFILE, &original) == 0);
  const struct rlimit low = {.rlim_cur = 64, .rlim_max = original.rlim_max};
  show("setrlimit", setrlimit(RLIMIT_NOFILE, &low));
  return NULL;
}

static void* exhaust(void* unused) {
  (void)unused;
  int opened[64], count = 0, fd;
  while ((fd = open("/dev/null", O_RDONLY)) >= 0) opened[count++] = fd;
  show("open", fd);
  show("dup", dup(opened[0]));
  int ends[2];
  show("pipe", pipe(ends));
  show("socket", socket(AF_INET, SOCK_STREAM, 0));
  for (int i = 0; i < count; ++i) close(opened[i]);
  return NULL;
}

int main(void) {
  finish(start(lower_limit, NULL));
  struct rlimit now;
  CHECK(prlimit(0, RLIMIT_NOFILE, NULL, &now) == 0);
  printf("limit %d\n", (int)now.rlim_cur);
  exhaust(NULL);
  finish(start(exhaust, NULL));
  show("beyond", dup2(STDOUT_FILENO, 64));
  CHECK(prlimit(0, RLIMIT_NOFILE, &original, NULL) == 0);
  show("below again", dup2(STDOUT_FILENO, 64));
  return 0;
}
