// SPDX-License-Identifier: Apache-2.0
// Users, capabilities, directories and filters that a thread has for itself alone are its own,
// across waits, and no other thread's. needs: root

#include "support.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static const char secret[] = "secret";

static int may_read(void) {
  int file = open(secret, O_RDONLY);
  CHECK(file >= 0 || errno == EACCES);
  if (file >= 0) OK(close(file));
  return file >= 0;
}

static int times_read(void) {
  int count = 0;
  for (int i = 0; i < 20; ++i) {
    sleep_ms(1);
    count += may_read();
    sched_yield();
  }
  return count;
}

static void* stay_root(void* argument) {
  *(int*)argument = times_read();
  return argument;
}

static void* change_file_user(void* argument) {
  sleep_ms(1);
  setfsuid(65534);
  *(int*)argument = times_read();
  return argument;
}

static void* change_user_directly(void* argument) {
  sleep_ms(1);
  OK((int)syscall(SYS_setresuid, -1, 65534, -1));
  *(int*)argument = times_read();
  return argument;
}

static void* change_directory(void* argument) {
  sleep_ms(1);
  OK(unshare(CLONE_FS));
  OK(chdir("/"));
  char path[256];
  int here = 0;
  for (int i = 0; i < 20; ++i) {
    sleep_ms(1);
    here += getcwd(path, sizeof path) != NULL && strcmp(path, "/") == 0;
  }
  *(int*)argument = here;
  return argument;
}

static void* give_up_new_privileges(void* argument) {
  sleep_ms(1);
  OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  int kept = 0;
  for (int i = 0; i < 20; ++i) {
    sleep_ms(1);
    kept += prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
  }
  *(int*)argument = kept;
  return argument;
}

int main(void) {
  int file = open(secret, O_CREAT | O_WRONLY, 0600);
  CHECK(file >= 0);
  void* (*const functions[])(void*) = {
      stay_root, change_file_user, stay_root, change_user_directly,
      stay_root, change_directory, stay_root, give_up_new_privileges,
      stay_root};
  enum { count = sizeof functions / sizeof *functions };
  pthread_t threads[count];
  int results[count];
  for (int i = 0; i < count; ++i) threads[i] = start(functions[i], &results[i]);
  for (int i = 0; i < count; ++i) join(threads[i]);
  for (int i = 0; i < count; ++i) say("%d\n", results[i]);
  say("no new privileges here: %d\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
  stay_root(results);
  say("%d\n", results[0]);
  return 0;
}
