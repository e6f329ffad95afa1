// SPDX-License-Identifier: Apache-2.0
// A process-shared mutex and condition variable in shared memory pass a turn between parent and
// child.

#include "support.h"

#include <sys/mman.h>
#include <sys/wait.h>

enum { rounds = 200 };
struct Table {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int turn;
};

static void play(struct Table* table, int mine) {
  for (int i = 0; i < rounds; ++i) {
    OK(pthread_mutex_lock(&table->lock));
    while (table->turn % 2 != mine) OK(pthread_cond_wait(&table->changed, &table->lock));
    ++table->turn;
    OK(pthread_cond_signal(&table->changed));
    OK(pthread_mutex_unlock(&table->lock));
  }
}

int main(void) {
  struct Table* table =
      mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(table != MAP_FAILED);
  pthread_mutexattr_t mutex_attributes;
  pthread_condattr_t cond_attributes;
  OK(pthread_mutexattr_init(&mutex_attributes));
  OK(pthread_condattr_init(&cond_attributes));
  OK(pthread_mutexattr_setpshared(&mutex_attributes, PTHREAD_PROCESS_SHARED));
  OK(pthread_condattr_setpshared(&cond_attributes, PTHREAD_PROCESS_SHARED));
  OK(pthread_mutex_init(&table->lock, &mutex_attributes));
  OK(pthread_cond_init(&table->changed, &cond_attributes));
  pid_t child = fork();
  CHECK(child >= 0);
  play(table, child == 0);
  if (child == 0) _exit(0);
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  say("turns: %d\n", table->turn);
  return 0;
}
