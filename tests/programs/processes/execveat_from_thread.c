// SPDX-License-Identifier: Apache-2.0
// execveat() by a thread replaces the process, which keeps its number and the program's signal
// mask.

#include "support.h"

#include <fcntl.h>
#include <sys/syscall.h>

static void* execute(void* argument) {
  char process[16];
  snprintf(process, sizeof process, "%d", getpid());
  char* words[] = {"sh", "-c", "[ $$ = $0 ] && echo same && grep SigBlk /proc/self/status", process,
                   NULL};
  char* own[] = {"PATH=/usr/bin:/bin", NULL};
  sleep_ms(2);
  if (argument == NULL) execveat(AT_FDCWD, "/bin/sh", words, own, 0);
  syscall(SYS_execveat, AT_FDCWD, "/bin/sh", words, own, 0);
  return argument;
}

int main(int count, char** words) {
  (void)words;
  join(start(execute, count > 1 ? "by number" : NULL));
  return 1;
}
