// SPDX-License-Identifier: Apache-2.0
// fgets waits for a newline, fread for all its items, fgetc for one byte; then feof is set.
#include "../io_support.h"

static int ends[2];

static void* write_in_pieces(void* unused) {
  (void)unused;
  static const char* const pieces[] = {"a li", "ne\n", "123", "456", "78", "z"};
  for (int i = 0; i < 6; ++i) {
    let_it_block();
    write_all(ends[1], pieces[i], strlen(pieces[i]));
  }
  close(ends[1]);
  return NULL;
}

static void body(void) {
  char text[64] = "";
  CHECK(pipe(ends) == 0);
  FILE* stream = fdopen(ends[0], "r");
  const pthread_t writer = start(write_in_pieces, NULL);
  CHECK(fgets(text, sizeof text, stream) != NULL);
  printf("%s", text);
  printf("%zu items\n", fread(text, 2, 4, stream));
  printf("%c\n", fgetc(stream));
  printf("end %d\n", fgetc(stream) == EOF && feof(stream) && !ferror(stream));
  finish(writer);
  fclose(stream);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
