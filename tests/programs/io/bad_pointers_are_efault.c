// SPDX-License-Identifier: Apache-2.0
// Unreadable and unwritable buffers give EFAULT, also when the call had to wait for the data.
#include "../io_support.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/uio.h>

static int ends[2];
static char* forbidden;

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(ends[1], "data", 4) == 4);
  return NULL;
}

static void body(void) {
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const pthread_t writer = start(write_later, NULL);
  show("waiting read", read(ends[0], forbidden, 4));
  finish(writer);
  show("write", write(ends[1], forbidden, 4));
  show("recv", recv(ends[0], forbidden, 4, 0));
  show("send", send(ends[1], forbidden, 4, 0));
  show("readv", readv(ends[0], (const struct iovec*)forbidden, 1));
  show("poll", poll((struct pollfd*)forbidden, 1, 0));
  show("recvmsg", recvmsg(ends[0], (struct msghdr*)forbidden, MSG_DONTWAIT));
  show("nanosleep", nanosleep((const struct timespec*)forbidden, NULL));
  show("connect", connect(ends[0], (const struct sockaddr*)forbidden, sizeof(struct sockaddr_in)));
  show("pipe", pipe((int*)forbidden));
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(forbidden != MAP_FAILED);
  in_main_and_thread(body);
  return 0;
}
