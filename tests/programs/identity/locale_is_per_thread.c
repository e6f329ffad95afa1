// SPDX-License-Identifier: Apache-2.0
// uselocale sets the locale of the calling thread only, and it stays across waits.

#include "support.h"

#include <langinfo.h>
#include <locale.h>
#include <stdint.h>

static void* use(void* index) {
  locale_t own = (locale_t)0;
  if ((intptr_t)index % 2 == 1) {
    own = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    CHECK(own != (locale_t)0);
    uselocale(own);
  }
  const char* expected = own != (locale_t)0 ? "UTF-8" : "ANSI_X3.4-1968";
  for (int round = 0; round < 10; ++round) {
    CHECK(strcmp(nl_langinfo(CODESET), expected) == 0);
    CHECK(uselocale((locale_t)0) == (own != (locale_t)0 ? own : LC_GLOBAL_LOCALE));
    sleep_ms(1);
  }
  uselocale(LC_GLOBAL_LOCALE);
  if (own != (locale_t)0) freelocale(own);
  return NULL;
}

int main(void) {
  pthread_t threads[6];
  for (intptr_t i = 0; i < 6; ++i) threads[i] = start(use, (void*)i);
  for (int i = 0; i < 6; ++i) join(threads[i]);
  say("main's: %s\n", nl_langinfo(CODESET));
  return 0;
}
