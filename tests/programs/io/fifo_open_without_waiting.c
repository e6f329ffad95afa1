// SPDX-License-Identifier: Apache-2.0
// open of a FIFO with O_NONBLOCK or O_RDWR never waits; a writer without reader gets ENXIO.
#include "../io_support.h"

#include <sys/stat.h>

static void body(void) {
  char byte;
  CHECK(open("fifo", O_WRONLY | O_NONBLOCK) == -1);
  show("writer alone", -1);
  const int reader = open("fifo", O_RDONLY | O_NONBLOCK);
  CHECK(reader >= 0);
  show("no writer yet", read(reader, &byte, 1));
  const int writer = open("fifo", O_WRONLY | O_NONBLOCK);
  CHECK(writer >= 0);
  show("empty", read(reader, &byte, 1));
  show("write", write(writer, "x", 1));
  show("read", read(reader, &byte, 1));
  const int both = open("fifo", O_RDWR);
  CHECK(both >= 0);
  show("write", write(both, "y", 1));
  show("read", read(both, &byte, 1));
  close(reader);
  close(writer);
  close(both);
}

int main(void) {
  enter_temporary_directory();
  CHECK(mkfifo("fifo", 0600) == 0);
  in_main_and_thread(body);
  return 0;
}
