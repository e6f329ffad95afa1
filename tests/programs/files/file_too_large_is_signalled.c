// SPDX-License-Identifier: Apache-2.0
// A write beyond RLIMIT_FSIZE fails with EFBIG, and its thread gets SIGXFSZ.
#include "../io_support.h"

#include <sys/resource.h>
#include <sys/uio.h>

enum { LIMIT = 4096 };
static int file;
static atomic_int signals;
static _Thread_local int is_writer;

static void on_signal(int number) {
  (void)number;
  if (is_writer) ++signals;
}

static void report(const char* what, long result) {
  show(what, result);
  printf("signals of the writer: %d\n", atomic_exchange(&signals, 0));
}

static void* write_too_much(void* unused) {
  (void)unused;
  is_writer = 1;
  const struct iovec vector = {"data", 4};
  report("pwrite within", pwrite(file, "data", 4, 0));
  report("pwrite beyond", pwrite(file, "data", 4, LIMIT));
  report("pwritev beyond", pwritev(file, &vector, 1, LIMIT));
  report("pwrite across", pwrite(file, "data", 4, LIMIT - 2));
  CHECK(lseek(file, LIMIT, SEEK_SET) == LIMIT);
  report("write beyond", write(file, "data", 4));
  report("writev beyond", writev(file, &vector, 1));
  return NULL;
}

int main(void) {
  file = temporary_file();
  const struct sigaction action = {.sa_handler = on_signal};
  CHECK(sigaction(SIGXFSZ, &action, NULL) == 0);
  const struct rlimit limit = {LIMIT, LIMIT};
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  finish(start(write_too_much, NULL));
  return 0;
}
