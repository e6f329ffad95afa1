// SPDX-License-Identifier: Apache-2.0
// SO_PEERCRED and SCM_CREDENTIALS of a thread name the process, its user and its group.
#include "../io_support.h"

static int ends[2];

static void* send_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(send(ends[1], "x", 1, 0) == 1);
  return NULL;
}

static void body(void) {
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  struct ucred peer;
  socklen_t bytes = sizeof peer;
  CHECK(getsockopt(ends[0], SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0);
  printf("peer is us: %d\n",
         peer.pid == getpid() && peer.uid == geteuid() && peer.gid == getegid());
  const int on = 1;
  CHECK(setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0);
  const pthread_t sender = start(send_later, NULL);
  char byte;
  struct iovec part = {&byte, 1};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(struct ucred))];
  } control;
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control.bytes};
  CHECK(recvmsg(ends[0], &message, 0) == 1);
  const struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  CHECK(header != NULL && header->cmsg_type == SCM_CREDENTIALS);
  struct ucred from;
  memcpy(&from, CMSG_DATA(header), sizeof from);
  printf("sender is us: %d\n", from.pid == getpid() && from.uid == getuid());
  finish(sender);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
