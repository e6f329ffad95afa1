// SPDX-License-Identifier: Apache-2.0
// recv, recvfrom, recvmsg and accept that wait are cancellation points, and the sockets work
// afterwards.

#include "support.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "cancelling.h"

static int pair[2], listener;
static char byte;

static void in_recv(void) {
  CHECK(recv(pair[0], &byte, 1, 0) == 99);
}
static void in_recvfrom(void) {
  CHECK(recvfrom(pair[0], &byte, 1, 0, NULL, NULL) == 99);
}
static void in_recvmsg(void) {
  struct iovec vector = {&byte, 1};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  CHECK(recvmsg(pair[0], &message, 0) == 99);
}
static void in_accept(void) {
  CHECK(accept(listener, NULL, NULL) == 99);
}
static void in_accept4(void) {
  CHECK(accept4(listener, NULL, NULL, SOCK_CLOEXEC) == 99);
}

int main(void) {
  OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  listener = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(listener >= 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  OK(bind(listener, (struct sockaddr*)&address, sizeof address));
  OK(listen(listener, 4));
  cancel_in("recv", in_recv);
  cancel_in("recvfrom", in_recvfrom);
  cancel_in("recvmsg", in_recvmsg);
  cancel_in("accept", in_accept);
  cancel_in("accept4", in_accept4);
  CHECK(send(pair[1], "x", 1, 0) == 1);
  CHECK(recv(pair[0], &byte, 1, 0) == 1);
  say("received %c\n", byte);
  return 0;
}
