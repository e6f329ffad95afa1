// SPDX-License-Identifier: Apache-2.0
// Of eight threads that create, link or rename to the same name, exactly one creates and links it.
#include "../io_support.h"

#include <stdio.h>

enum { THREADS = 8, ROUNDS = 50 };
static pthread_barrier_t together;
static atomic_int created, linked, renamed;

static void* race(void* index) {
  char own[32], target[32];
  snprintf(own, sizeof own, "own-%d", (int)(intptr_t)index);
  for (int i = 0; i < ROUNDS; ++i) {
    snprintf(target, sizeof target, "created-%d", i);
    pthread_barrier_wait(&together);
    int fd = open(target, O_CREAT | O_EXCL | O_WRONLY, 0600);
    CHECK(fd >= 0 || errno == EEXIST);
    if (fd >= 0) atomic_fetch_add(&created, 1), close(fd);
    fd = open(own, O_CREAT | O_WRONLY, 0600);
    CHECK(fd >= 0);
    close(fd);
    snprintf(target, sizeof target, "linked-%d", i);
    pthread_barrier_wait(&together);
    if (link(own, target) == 0) {
      atomic_fetch_add(&linked, 1);
    } else {
      CHECK(errno == EEXIST);
    }
    snprintf(target, sizeof target, "renamed-%d", i);
    CHECK(rename(own, target) == 0);
    atomic_fetch_add(&renamed, 1);
  }
  return NULL;
}

int main(void) {
  enter_temporary_directory();
  CHECK(pthread_barrier_init(&together, NULL, THREADS) == 0);
  in_threads(THREADS, race);
  int left = 0;
  DIR* directory = opendir(".");
  for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
    left += strncmp(entry->d_name, "renamed-", 8) == 0;
  }
  closedir(directory);
  printf("%d created, %d linked, %d renamed, %d left\n", atomic_load(&created),
         atomic_load(&linked), atomic_load(&renamed), left);
  return 0;
}
