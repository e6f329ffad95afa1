// SPDX-License-Identifier: Apache-2.0
// SO_RCVTIMEO ends recv, read, recvmsg, recvmmsg and accept with EAGAIN, not before its time.
#include "../io_support.h"

#include <sys/time.h>
#include <sys/uio.h>

enum { TIMEOUT_MS = 40 };
static int64_t began;

static void begin(void) {
  began = now_ns();
}

static void show_timed_out(const char* what, long result) {
  show(what, result);
  // The kernel counts socket timeouts in its own ticks, of up to 10 ms.
  CHECK(now_ns() - began >= (TIMEOUT_MS - 10) * MILLISECOND_NS);
}

static void body(void) {
  const struct timeval timeout = {.tv_usec = TIMEOUT_MS * 1000};
  char byte;
  struct iovec part = {&byte, 1};
  struct mmsghdr messages[2] = {{.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}}};
  int ends[2];
  tcp_pair(ends);
  CHECK(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0);
  begin(), show_timed_out("recv", recv(ends[0], &byte, 1, 0));
  begin(), show_timed_out("read", read(ends[0], &byte, 1));
  begin(), show_timed_out("readv", readv(ends[0], &part, 1));
  begin(), show_timed_out("recvmsg", recvmsg(ends[0], &messages[0].msg_hdr, 0));
  begin(), show_timed_out("recvmmsg", recvmmsg(ends[0], messages, 1, 0, NULL));
  CHECK(write(ends[1], "x", 1) == 1);
  show("in time", recv(ends[0], &byte, 1, 0));
  const int duplicate = dup(ends[0]);
  begin(), show_timed_out("duplicate", recv(duplicate, &byte, 1, 0));
  close(duplicate);
  struct timeval seen;
  socklen_t bytes = sizeof seen;
  CHECK(getsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &seen, &bytes) == 0);
  printf("timeout still %ld us\n", (long)(seen.tv_sec * 1000000 + seen.tv_usec));
  printf("O_NONBLOCK %d\n", (fcntl(ends[0], F_GETFL) & O_NONBLOCK) != 0);
  close(ends[0]);
  close(ends[1]);
  struct sockaddr_in address;
  const int listener = tcp_listener(&address, 1);
  CHECK(setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0);
  begin(), show_timed_out("accept", accept(listener, NULL, NULL));
  close(listener);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
