// SPDX-License-Identifier: Apache-2.0
// The program itself finds no LD_PRELOAD or WEFT_ variable that was not set for it, in environ and
// getenv.

#include "support.h"

extern char** environ;

int main(void) {
  const char* preload = getenv("LD_PRELOAD");
  say("LD_PRELOAD: %s\n", preload != NULL ? preload : "not set");
  int found = 0;
  for (char** variable = environ; *variable != NULL; ++variable) {
    found += strncmp(*variable, "WEFT_", 5) == 0;
  }
  say("WEFT_ variables: %d\n", found);
  return 0;
}
