// SPDX-License-Identifier: Apache-2.0
// A set*id call in one thread changes the identity of every kernel thread of the process.
// needs: root

#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static atomic_int changed;
static pthread_barrier_t begun;

static void* look(void* argument) {
  pthread_barrier_wait(&begun);
  WAIT_FOR(atomic_load(&changed));
  CHECK(syscall(SYS_getuid) == 65534 && syscall(SYS_geteuid) == 65534);
  CHECK(syscall(SYS_getgid) == 65533 && getuid() == 65534);
  CHECK(open("/etc/shadow", O_RDONLY) == -1 && errno == EACCES);
  return argument;
}
static void* change(void* argument) {
  sleep_ms(2);
  OK(setresgid(65533, 65533, 65533));
  OK(setresuid(65534, 65534, 65534));
  atomic_store(&changed, 1);
  return argument;
}

// Whether /proc shows the new identity for all kernel threads, also those that are not ours.
static int is_everywhere(void) {
  DIR* folder = opendir("/proc/self/task");
  CHECK(folder != NULL);
  int wrong = 0;
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    char path[300], line[256];
    snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
    FILE* file = fopen(path, "r");
    if (file == NULL) continue;  // it has ended
    while (fgets(line, sizeof line, file) != NULL) {
      if (strncmp(line, "Uid:", 4) == 0)
        wrong += strcmp(line, "Uid:\t65534\t65534\t65534\t65534\n") != 0;
      if (strncmp(line, "Gid:", 4) == 0)
        wrong += strcmp(line, "Gid:\t65533\t65533\t65533\t65533\n") != 0;
    }
    fclose(file);
  }
  closedir(folder);
  return wrong == 0;
}

int main(void) {
  OK(pthread_barrier_init(&begun, NULL, 5));
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = start(look, NULL);
  pthread_barrier_wait(&begun);
  join(start(change, NULL));
  say("everywhere: %d\n", is_everywhere());
  for (int i = 0; i < 4; ++i) join(threads[i]);
  int result = setuid(0);
  say("no way back: %d %s\n", result, error_name(errno));
  return 0;
}
