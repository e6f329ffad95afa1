// SPDX-License-Identifier: Apache-2.0
// A thread has the name, the niceness and the timer slack of the one that made it.
#include "../io_support.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static char name_of_main[16];

static void show_own(const char* who) {
  char name[16];
  CHECK(pthread_getname_np(pthread_self(), name, sizeof(name)) == 0);
  printf("%s: %s, nice %d, slack %d\n", who, strcmp(name, name_of_main) == 0 ? "as main" : name,
         getpriority(PRIO_PROCESS, 0), prctl(PR_GET_TIMERSLACK));
}

static void* show_as(void* who) {
  show_own(who);
  return NULL;
}

static void* make_one(void* who) {
  finish(start(show_as, who));
  return NULL;
}

static void* change_and_make_one(void* unused) {
  CHECK(pthread_setname_np(pthread_self(), "changed") == 0);
  CHECK(setpriority(PRIO_PROCESS, 0, 7) == 0);
  CHECK(prctl(PR_SET_TIMERSLACK, 70000UL) == 0);
  finish(start(make_one, "made by a changed one's"));
  show_own("changed");
  return unused;
}

int main(void) {
  CHECK(pthread_getname_np(pthread_self(), name_of_main, sizeof(name_of_main)) == 0);
  finish(start(show_as, "first"));
  finish(start(make_one, "made by the first"));
  finish(start(change_and_make_one, NULL));
  finish(start(make_one, "made by an unchanged one"));
  show_own("main");
  return 0;
}
