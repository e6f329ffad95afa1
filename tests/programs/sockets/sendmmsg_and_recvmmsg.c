// SPDX-License-Identifier: Apache-2.0
// sendmmsg sends and recvmmsg waits for several datagrams in one call.
#include "../io_support.h"

enum { COUNT = 8 };
static struct sockaddr_in address;

static void* send_later(void* unused) {
  (void)unused;
  let_it_block();
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  char bodies[COUNT];
  struct iovec parts[COUNT];
  struct mmsghdr messages[COUNT] = {0};
  for (int i = 0; i < COUNT; ++i) {
    bodies[i] = (char)('a' + i);
    parts[i] = (struct iovec){&bodies[i], 1};
    messages[i].msg_hdr = (struct msghdr){
        .msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &parts[i], .msg_iovlen = 1};
  }
  CHECK(sendmmsg(fd, messages, COUNT, 0) == COUNT);
  close(fd);
  return NULL;
}

static void body(void) {
  const int fd = udp_socket(&address);
  char text[COUNT + 1] = "", extra[COUNT];
  struct iovec parts[COUNT];
  struct mmsghdr messages[COUNT] = {0};
  for (int i = 0; i < COUNT; ++i) {
    parts[i] = (struct iovec){&text[i], 1};
    messages[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
  }
  pthread_t sender = start(send_later, NULL);
  show("all", recvmmsg(fd, messages, COUNT, 0, NULL));
  printf("%s, first of %u byte\n", text, messages[0].msg_len);
  finish(sender);
  show("not waiting", recvmmsg(fd, messages, COUNT, MSG_DONTWAIT, NULL));
  sender = start(send_later, NULL);
  const int first = recvmmsg(fd, messages, COUNT, MSG_WAITFORONE, NULL);
  CHECK(first >= 1);
  for (int i = first; i < COUNT; ++i) CHECK(recv(fd, extra, 1, 0) == 1);
  printf("at least one, then the rest\n");
  finish(sender);
  close(fd);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
