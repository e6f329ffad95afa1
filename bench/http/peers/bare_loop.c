// SPDX-License-Identifier: Apache-2.0
// A loop of epoll, recv and send that answers whatever comes with the same words. Of HTTP it knows
// one thing: a request whose last field is "Connection: close" is the last. No server that calls
// the kernel so can be faster; what is between it and a server is the server's.
//
//   bare_loop PORT
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { most_events = 256, backlog = 1024 };

static const char answer[] =
    "HTTP/1.1 200 OK\r\n"
    "Date: Tue, 17 Nov 2026 00:00:00 GMT\r\n"
    "Server: bare\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 6\r\n"
    "\r\n"
    "hello\n";

static const int on = 1;
static int epoll;

static void accept_all(int listener) {
  for (int peer; (peer = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.fd = peer};
    setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, peer, &event) != 0) close(peer);
  }
}

static void serve(int peer) {
  static char input[65536];
  const ssize_t received = recv(peer, input, sizeof input, 0);
  if (received > 0) {
    static const char last[] = "close\r\n\r\n";
    const ssize_t length = sizeof last - 1;
    send(peer, answer, sizeof answer - 1, MSG_NOSIGNAL);
    if (received > length && memcmp(input + received - length, last, sizeof last - 1) == 0) {
      close(peer);
    }
  } else if (received == 0 || errno != EAGAIN) {
    close(peer);
  }
}

int main(int count, char** words) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)atoi(count > 1 ? words[1] : "0")),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  epoll = epoll_create1(0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr*)&address, sizeof address) != 0 ||
      listen(listener, backlog) != 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) != 0) {
    return 1;
  }
  for (;;) {
    struct epoll_event events[most_events];
    const int ready = epoll_wait(epoll, events, most_events, -1);
    for (int i = 0; i < ready; ++i) {
      events[i].data.fd == listener ? accept_all(listener) : serve(events[i].data.fd);
    }
  }
}
