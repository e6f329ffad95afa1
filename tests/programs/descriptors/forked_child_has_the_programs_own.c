// SPDX-License-Identifier: Apache-2.0
// A child of fork() has the descriptors that the program has opened, and no others.

#include "busy.h"

#include <dirent.h>
#include <sys/wait.h>

static void list_own(void) {
  DIR* folder = opendir("/proc/self/fd");
  CHECK(folder != NULL);
  int open_numbers[4096] = {0};
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.' || atoi(entry->d_name) == dirfd(folder)) continue;
    CHECK(atoi(entry->d_name) < 4096);
    open_numbers[atoi(entry->d_name)] = 1;
  }
  closedir(folder);
  for (int number = 0; number < 4096; ++number) {
    if (open_numbers[number]) say(" %d", number);
  }
  say("\n");
}

static void* fork_and_list(void* depth) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    list_own();
    if (depth != NULL) {
      play();  // a runtime of its own
      fork_and_list(NULL);
    }
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  return NULL;
}

int main(void) {
  CHECK(dup2(0, 17) == 17);
  fork_and_list("deep");
  play();
  fork_and_list("deep");
  join(start(fork_and_list, "deep"));
  return 0;
}
