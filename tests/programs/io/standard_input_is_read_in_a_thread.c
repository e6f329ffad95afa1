// SPDX-License-Identifier: Apache-2.0
// A thread reads standard input with scanf and getchar, waiting, when it is a pipe.
#include "../io_support.h"

static int write_end;

static void* type_slowly(void* unused) {
  (void)unused;
  static const char* const pieces[] = {"12", "3 4", "56\nrest", " of it\n"};
  for (int i = 0; i < 4; ++i) {
    let_it_block();
    write_all(write_end, pieces[i], strlen(pieces[i]));
  }
  close(write_end);
  return NULL;
}

static void* read_input(void* unused) {
  (void)unused;
  int first, second;
  CHECK(scanf("%d %d", &first, &second) == 2);
  printf("%d %d\n", first, second);
  int bytes = 0;
  while (getchar() != EOF) ++bytes;
  printf("%d more\n", bytes);
  return NULL;
}

int main(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  CHECK(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
  close(ends[0]);
  write_end = ends[1];
  const pthread_t typist = start(type_slowly, NULL);
  finish(start(read_input, NULL));
  finish(typist);
  return 0;
}
