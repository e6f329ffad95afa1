// SPDX-License-Identifier: Apache-2.0
// Threads that read records of one descriptor share its position: each record is read once.
#include "../io_support.h"

enum { THREADS = 6, RECORDS = 3000 };
static int file;
static atomic_int seen[RECORDS];

static void* read_records(void* unused) {
  (void)unused;
  int number;
  ssize_t got;
  while ((got = read(file, &number, sizeof number)) == sizeof number) {
    atomic_fetch_add(&seen[number], 1);
    if (number % 100 == 0) sched_yield();
  }
  CHECK(got == 0);
  return NULL;
}

int main(void) {
  file = temporary_file();
  for (int i = 0; i < RECORDS; ++i) write_all(file, &i, sizeof i);
  CHECK(lseek(file, 0, SEEK_SET) == 0);
  in_threads(THREADS, read_records);
  int once = 0;
  for (int i = 0; i < RECORDS; ++i) once += atomic_load(&seen[i]) == 1;
  printf("%d once\n", once);
  return 0;
}
