// SPDX-License-Identifier: Apache-2.0
// open of a FIFO waits until the other side opens it, whichever comes first; then data flows.
#include "../io_support.h"

#include <sys/stat.h>

static void* open_writer_later(void* unused) {
  (void)unused;
  let_it_block();
  const int fd = open("fifo", O_WRONLY);
  CHECK(fd >= 0);
  write_all(fd, "hello", 5);
  close(fd);
  return NULL;
}

static void* open_reader_later(void* unused) {
  (void)unused;
  let_it_block();
  char text[6] = "";
  const int fd = openat(AT_FDCWD, "fifo", O_RDONLY | O_CLOEXEC);
  CHECK(fd >= 0);
  read_all(fd, text, 5);
  CHECK(strcmp(text, "world") == 0);
  CHECK(read(fd, text, 5) == 0);
  close(fd);
  return NULL;
}

static void body(void) {
  char text[6] = "";
  pthread_t other = start(open_writer_later, NULL);
  int fd = open("fifo", O_RDONLY);
  CHECK(fd >= 0);
  printf("O_NONBLOCK %d\n", (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
  read_all(fd, text, 5);
  printf("%s\n", text);
  finish(other);
  show("end", read(fd, text, 5));
  close(fd);
  other = start(open_reader_later, NULL);
  fd = open64("fifo", O_WRONLY);
  CHECK(fd >= 0);
  write_all(fd, "world", 5);
  close(fd);
  finish(other);
  other = start(open_writer_later, NULL);
  FILE* stream = fopen("fifo", "r");
  CHECK(stream != NULL && fgets(text, sizeof text, stream) != NULL);
  printf("%s\n", text);
  fclose(stream);
  finish(other);
}

int main(void) {
  enter_temporary_directory();
  CHECK(mkfifo("fifo", 0600) == 0);
  in_main_and_thread(body);
  return 0;
}
