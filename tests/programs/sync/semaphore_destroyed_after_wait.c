// SPDX-License-Identifier: Apache-2.0
// A semaphore on the stack may be destroyed as soon as its one wait has returned, though the
// poster is still inside sem_post.

#include "support.h"

struct Request {
  sem_t done;
  int answer;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;
static struct Request* pending;

static void* serve(void* argument) {
  for (int i = 0; i < 500; ++i) {
    pthread_mutex_lock(&lock);
    while (pending == NULL) pthread_cond_wait(&asked, &lock);
    struct Request* request = pending;
    pending = NULL;
    pthread_mutex_unlock(&lock);
    request->answer = i;
    OK(sem_post(&request->done));
  }
  return argument;
}

static int ask(void) {
  struct Request request;
  OK(sem_init(&request.done, 0, 0));
  pthread_mutex_lock(&lock);
  pending = &request;
  pthread_cond_signal(&asked);
  pthread_mutex_unlock(&lock);
  OK(sem_wait(&request.done));
  OK(sem_destroy(&request.done));
  int answer = request.answer;
  memset(&request, 0x5a, sizeof request);
  __asm__ volatile("" : : "r"(&request) : "memory");
  return answer;
}

int main(void) {
  pthread_t server = start(serve, NULL);
  long sum = 0;
  for (int i = 0; i < 500; ++i) sum += ask();
  join(server);
  say("sum: %ld\n", sum);
  return 0;
}
