// SPDX-License-Identifier: Apache-2.0
// SCM_RIGHTS passes a pipe's end over a UNIX socket; the receiver can wait on the new descriptor.
#include "../io_support.h"

static int ends[2];

static void* send_descriptor_later(void* unused) {
  (void)unused;
  let_it_block();
  int channel[2];
  CHECK(pipe(channel) == 0);
  char byte = 'f';
  struct iovec part = {&byte, 1};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control.bytes};
  control.header = (struct cmsghdr){
      .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  memcpy(CMSG_DATA(&control.header), &channel[0], sizeof(int));
  CHECK(sendmsg(ends[1], &message, 0) == 1);
  close(channel[0]);
  let_it_block();
  CHECK(write(channel[1], "through", 7) == 7);
  close(channel[1]);
  return NULL;
}

static void body(void) {
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const pthread_t sender = start(send_descriptor_later, NULL);
  char byte, text[16] = "";
  struct iovec part = {&byte, 1};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control.bytes};
  show("recvmsg", recvmsg(ends[0], &message, MSG_CMSG_CLOEXEC));
  struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  CHECK(header != NULL && header->cmsg_type == SCM_RIGHTS);
  int passed;
  memcpy(&passed, CMSG_DATA(header), sizeof passed);
  printf("FD_CLOEXEC %d O_NONBLOCK %d\n", fcntl(passed, F_GETFD),
         (fcntl(passed, F_GETFL) & O_NONBLOCK) != 0);
  show("read", read(passed, text, sizeof text));
  printf("%s\n", text);
  show("end", read(passed, text, sizeof text));
  finish(sender);
  close(passed);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
