// SPDX-License-Identifier: Apache-2.0
// A blocking send, write and writev of several megabytes returns the whole count in one call.
#include "../io_support.h"

#include <sys/uio.h>

enum { TOTAL_BYTES = 4 << 20 };
static int ends[2];
static char data[TOTAL_BYTES];

static void* send_at_once(void* unused) {
  (void)unused;
  show("send", send(ends[1], data, sizeof data, 0));
  show("write", write(ends[1], data, sizeof data));
  struct iovec parts[2] = {{data, 1000}, {data + 1000, sizeof data - 1000}};
  show("writev", writev(ends[1], parts, 2));
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  show("sendmsg", sendmsg(ends[1], &message, 0));
  close(ends[1]);
  return NULL;
}

static void receive(void) {
  const pthread_t sender = start(send_at_once, NULL);
  let_it_block();
  static char piece[60000];
  long total = 0;
  for (ssize_t got; (got = read(ends[0], piece, sizeof piece)) > 0; total += got) {
    const long position = total % TOTAL_BYTES;
    const long first = got < TOTAL_BYTES - position ? got : TOTAL_BYTES - position;
    CHECK(memcmp(piece, data + position, (size_t)first) == 0);
    CHECK(memcmp(piece + first, data, (size_t)(got - first)) == 0);
  }
  finish(sender);
  printf("%ld bytes\n", total);
  close(ends[0]);
}

static void body(void) {
  tcp_pair(ends);
  receive();
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  receive();
}

int main(void) {
  fill_stream(0, data, sizeof data);
  in_main_and_thread(body);
  return 0;
}
