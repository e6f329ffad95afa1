// SPDX-License-Identifier: Apache-2.0
// dup2() and dup3() onto any number below the limit give that number, while threads wait.

#include "busy.h"

#include <sys/resource.h>

enum { first = 40, last = 1200 };

int main(void) {
  struct rlimit limit;
  OK(getrlimit(RLIMIT_NOFILE, &limit));
  if (limit.rlim_max < last) {
    say("the limit of open files is %d\n", (int)limit.rlim_max);
    return 77;
  }
  limit.rlim_cur = last;
  play();
  OK(setrlimit(RLIMIT_NOFILE, &limit));
  struct game game;
  begin_game(&game);
  for (int number = first; number < last; ++number) {
    CHECK((number % 2 == 0 ? dup2(0, number) : dup3(0, number, O_CLOEXEC)) == number);
  }
  end_game(&game);
  play();
  CHECK(dup2(0, last) == -1);
  say("beyond the limit: %s\n", error_name(errno));
  int closed = 0;
  for (int number = first; number < last; ++number) closed += close(number) == 0;
  say("closed: %d\n", closed);
  play();
  return 0;
}
