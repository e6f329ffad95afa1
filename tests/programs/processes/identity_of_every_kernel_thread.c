// SPDX-License-Identifier: Apache-2.0
// Users, groups, supplementary groups and capabilities change for every kernel thread there is:
// those that compute, sleep, wait in the kernel for long, and are made meanwhile. needs: root

#include "support.h"

#include <dirent.h>
#include <grp.h>
#include <stdatomic.h>
#include <sys/wait.h>

enum { sleepers = 3, computers = 2, stuck = 4 };

static atomic_int stop;
static int never_written[2];

static void* compute(void* argument) {
  while (!atomic_load(&stop)) {
  }
  return argument;
}

static void* wait_long(void* argument) {
  while (!atomic_load(&stop)) sleep_ms(1);
  return argument;
}

// Where only the kernel knows that the thread waits: an advisory lock that another process holds.
static int lock_of_another;
static void* get_stuck(void* argument) {
  OK(lockf(lock_of_another, F_LOCK, 0));
  OK(lockf(lock_of_another, F_ULOCK, 0));
  return argument;
}

static void* end_at_once(void* argument) {
  return argument;
}

static void* come_and_go(void* argument) {
  while (!atomic_load(&stop)) join(start(end_at_once, argument));
  return argument;
}

static int is_told(const char* line) {
  return strncmp(line, "Uid:", 4) == 0 || strncmp(line, "Gid:", 4) == 0 ||
         strncmp(line, "Groups:", 7) == 0 || strncmp(line, "CapEff:", 7) == 0 ||
         strncmp(line, "CapPrm:", 7) == 0;
}

static int read_lines(const char* thread, char* text, size_t size) {
  char path[300], line[1024];
  snprintf(path, sizeof path, "/proc/self/task/%s/status", thread);
  FILE* file = fopen(path, "r");
  if (file == NULL) return 0;  // it has ended
  text[0] = '\0';
  int lines = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    if (!is_told(line)) continue;
    strncat(text, line, size - strlen(text) - 1);
    ++lines;
  }
  fclose(file);
  return lines == 5;
}

// How many kernel threads differ from the first one.
static int differing(void) {
  char first[1024], text[1024], process[16];
  snprintf(process, sizeof process, "%d", getpid());
  CHECK(read_lines(process, first, sizeof first));
  DIR* folder = opendir("/proc/self/task");
  CHECK(folder != NULL);
  int wrong = 0;
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] != '.' && read_lines(entry->d_name, text, sizeof text)) {
      wrong += strcmp(first, text) != 0;
    }
  }
  closedir(folder);
  return wrong;
}

static void* change(void* argument) {
  const gid_t groups[] = {100, 101, 102};
  OK(setgroups(3, groups));
  say("setgroups: %d differ\n", differing());
  OK(setregid(1, 2));
  say("setregid: %d differ\n", differing());
  OK(setegid(3));
  say("setegid: %d differ\n", differing());
  OK(setresgid(4, 4, 4));
  say("setresgid: %d differ\n", differing());
  OK(seteuid(5));
  say("seteuid: %d differ\n", differing());
  OK(seteuid(0));
  say("seteuid back: %d differ\n", differing());
  OK(setgid(6));
  say("setgid: %d differ\n", differing());
  OK(setresuid(7, 7, 7));
  say("setresuid: %d differ\n", differing());
  CHECK(setuid(0) == -1);
  say("no way back: %s\n", error_name(errno));
  return argument;
}

// Holds the lock until the pipe ends.
static pid_t hold_lock(void) {
  int ready[2];
  OK(pipe(ready));
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    char byte;
    close(never_written[1]);
    OK(lockf(lock_of_another, F_LOCK, 0));
    CHECK(write(ready[1], "l", 1) == 1);
    CHECK(read(never_written[0], &byte, 1) == 0);
    _exit(0);
  }
  char byte;
  CHECK(read(ready[0], &byte, 1) == 1);
  OK(close(ready[0]));
  OK(close(ready[1]));
  return child;
}

static void change_beside_others(void) {
  FILE* file = tmpfile();
  CHECK(file != NULL);
  lock_of_another = fileno(file);
  OK(pipe(never_written));
  pid_t holder = hold_lock();
  pthread_t threads[sleepers + computers + stuck];
  int count = 0;
  while (count < sleepers) threads[count++] = start(wait_long, NULL);
  while (count < sleepers + computers) threads[count++] = start(compute, NULL);
  while (count < sleepers + computers + stuck) threads[count++] = start(get_stuck, NULL);
  sleep_ms(30);  // those who compute have been relieved by now, where there is somebody to do it
  pthread_t busy = start(come_and_go, NULL);
  join(start(change, NULL));
  atomic_store(&stop, 1);
  OK(close(never_written[1]));
  CHECK(waitpid(holder, NULL, 0) == holder);
  for (int i = 0; i < count; ++i) join(threads[i]);
  join(busy);
}

int main(void) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    change_beside_others();
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  change_beside_others();
  return 0;
}
