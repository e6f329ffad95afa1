// SPDX-License-Identifier: Apache-2.0
// system and popen run a shell in the first thread and in others, with its output and code.

#include "support.h"

#include <sys/wait.h>

static void* run(void* argument) {
  fflush(stdout);
  int status = system("echo from the shell; exit 3");
  say("system: %d\n", WEXITSTATUS(status));
  FILE* pipe_in = popen("echo one; sleep 0.02; echo two; exit 4", "r");
  CHECK(pipe_in != NULL);
  char line[64];
  while (fgets(line, sizeof line, pipe_in) != NULL) say("read %s", line);
  status = pclose(pipe_in);
  say("popen: %d\n", WEXITSTATUS(status));
  FILE* pipe_out = popen("tr a-z A-Z", "w");
  CHECK(pipe_out != NULL);
  fprintf(pipe_out, "to the shell\n");
  status = pclose(pipe_out);
  say("popen: %d, shell there: %d\n", WEXITSTATUS(status), system(NULL) != 0);
  return argument;
}

int main(void) {
  run(NULL);
  join(start(run, NULL));
  return 0;
}
