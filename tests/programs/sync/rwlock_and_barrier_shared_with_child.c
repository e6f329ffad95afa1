// SPDX-License-Identifier: Apache-2.0
// A process-shared rwlock and barrier work between a parent with threads and its child.

#include "support.h"

#include <sys/mman.h>
#include <sys/wait.h>

struct Table {
  pthread_rwlock_t lock;
  pthread_barrier_t together;
  long value[2];
};
static struct Table* table;

static void* write_it(void* argument) {
  for (int i = 0; i < 100; ++i) {
    OK(pthread_rwlock_wrlock(&table->lock));
    ++table->value[0];
    ++table->value[1];
    OK(pthread_rwlock_unlock(&table->lock));
    OK(pthread_rwlock_rdlock(&table->lock));
    CHECK(table->value[0] == table->value[1]);
    OK(pthread_rwlock_unlock(&table->lock));
  }
  return argument;
}

int main(void) {
  table = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(table != MAP_FAILED);
  pthread_rwlockattr_t lock_attributes;
  OK(pthread_rwlockattr_init(&lock_attributes));
  OK(pthread_rwlockattr_setpshared(&lock_attributes, PTHREAD_PROCESS_SHARED));
  OK(pthread_rwlock_init(&table->lock, &lock_attributes));
  pthread_barrierattr_t barrier_attributes;
  OK(pthread_barrierattr_init(&barrier_attributes));
  OK(pthread_barrierattr_setpshared(&barrier_attributes, PTHREAD_PROCESS_SHARED));
  OK(pthread_barrier_init(&table->together, &barrier_attributes, 2));
  pid_t child = fork();
  CHECK(child >= 0);
  int serial = pthread_barrier_wait(&table->together);
  CHECK(serial == 0 || serial == PTHREAD_BARRIER_SERIAL_THREAD);
  if (child == 0) {
    write_it(NULL);
    pthread_barrier_wait(&table->together);
    _exit(0);
  }
  pthread_t threads[2] = {start(write_it, NULL), start(write_it, NULL)};
  join(threads[0]);
  join(threads[1]);
  pthread_barrier_wait(&table->together);
  say("value: %ld\n", table->value[0]);
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}
