// SPDX-License-Identifier: Apache-2.0
// Lines that many threads print to one stream with one call each are whole, whatever its buffering.
#include "../io_support.h"

enum { THREADS = 12, LINES = 100 };
static FILE* file;

static void* print_lines(void* index) {
  char text[80];
  memset(text, 'a' + (int)(intptr_t)index, sizeof text);
  text[sizeof text - 1] = '\0';
  for (int i = 0; i < LINES; ++i) {
    CHECK(fprintf(file, "%d:%s:%d\n", (int)(intptr_t)index, text, i) > 0);
    if (i % 30 == 0) CHECK(fflush(file) == 0);
  }
  return NULL;
}

static void print_and_count(int mode) {
  file = tmpfile();
  CHECK(setvbuf(file, NULL, mode, 512) == 0);
  in_threads(THREADS, print_lines);
  rewind(file);
  char* line = NULL;
  size_t capacity = 0;
  int next[THREADS] = {0}, whole = 0;
  while (getline(&line, &capacity, file) > 0) {
    int who, number;
    char text[128];
    CHECK(sscanf(line, "%d:%127[a-z]:%d\n", &who, text, &number) == 3);
    CHECK(strlen(text) == 79 && text[0] == 'a' + who && text[78] == 'a' + who);
    CHECK(number == next[who]++);
    ++whole;
  }
  printf("%d whole lines\n", whole);
  free(line);
  fclose(file);
}

int main(void) {
  print_and_count(_IOFBF);
  print_and_count(_IOLBF);
  print_and_count(_IONBF);
  return 0;
}
