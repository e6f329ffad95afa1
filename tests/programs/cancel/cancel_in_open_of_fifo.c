// SPDX-License-Identifier: Apache-2.0
// Opening a FIFO that has no writer waits, and is a cancellation point.

#include "support.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "cancelling.h"

static void in_open(void) {
  CHECK(open("fifo", O_RDONLY) == 99);
}

int main(void) {
  OK(mkfifo("fifo", 0600));
  cancel_in("open", in_open);
  OK(unlink("fifo"));
  return 0;
}
