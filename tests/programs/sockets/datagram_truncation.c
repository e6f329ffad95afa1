// SPDX-License-Identifier: Apache-2.0
// A datagram longer than the buffer is cut; MSG_TRUNC tells its true length.
#include "../io_support.h"

static struct sockaddr_in address;

static void* send_later(void* unused) {
  (void)unused;
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  for (int i = 0; i < 4; ++i) {
    let_it_block();
    CHECK(sendto(fd, "0123456789", 10, 0, (struct sockaddr*)&address, sizeof address) == 10);
  }
  close(fd);
  return NULL;
}

static void body(void) {
  char buffer[32];
  const int fd = udp_socket(&address);
  const pthread_t sender = start(send_later, NULL);
  show("cut", recv(fd, buffer, 4, 0));
  show("true length", recv(fd, buffer, 4, MSG_TRUNC));
  show("peeked length", recv(fd, buffer, 0, MSG_TRUNC | MSG_PEEK));
  struct iovec part = {buffer, 6};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  show("recvmsg", recvmsg(fd, &message, 0));
  printf("MSG_TRUNC %d\n", (message.msg_flags & MSG_TRUNC) != 0);
  show("read", read(fd, buffer, sizeof buffer));
  finish(sender);
  show("none left", recv(fd, buffer, 4, MSG_DONTWAIT));
  close(fd);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
