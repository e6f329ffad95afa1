// SPDX-License-Identifier: Apache-2.0
// Eight threads list one directory at the same time; each sees every file once.
#include "../io_support.h"

enum { FILES = 300 };

static void* list(void* unused) {
  (void)unused;
  char seen[FILES] = {0};
  int count = 0;
  DIR* directory = opendir(".");
  CHECK(directory != NULL);
  for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
    int number;
    if (sscanf(entry->d_name, "file-%d", &number) != 1) continue;
    CHECK(++seen[number] == 1);
    ++count;
    if (count % 100 == 0) sched_yield();
  }
  CHECK(count == FILES);
  rewinddir(directory);
  CHECK(readdir(directory) != NULL);
  closedir(directory);
  return NULL;
}

int main(void) {
  enter_temporary_directory();
  for (int i = 0; i < FILES; ++i) {
    char name[32];
    snprintf(name, sizeof name, "file-%d", i);
    close(open(name, O_CREAT | O_WRONLY, 0600));
  }
  list(NULL);
  in_threads(8, list);
  struct dirent** names;
  const int found = scandir(".", &names, NULL, alphasort);
  printf("%d entries, first file %s\n", found, names[2]->d_name);
  for (int i = 0; i < found; ++i) free(names[i]);
  free(names);
  return 0;
}
