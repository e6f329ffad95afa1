// SPDX-License-Identifier: Apache-2.0
// exit ends the process with its code while threads wait in every kind of call.
// exits: 21
#include "../io_support.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>

static int ends[2];
static atomic_int waiting;

static void* wait_somehow(void* how) {
  char byte;
  struct sockaddr_in address;
  struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
  struct epoll_event event;
  eventfd_t value;
  const int epoll = epoll_create1(0), listener = tcp_listener(&address, 1),
            event_fd = eventfd(0, 0);
  atomic_fetch_add(&waiting, 1);
  switch ((intptr_t)how) {
    case 0:
      CHECK(read(ends[0], &byte, 1) < 0);
      break;
    case 1:
      CHECK(accept(listener, NULL, NULL) < 0);
      break;
    case 2:
      CHECK(poll(&wanted, 1, -1) < 0);
      break;
    case 3:
      CHECK(epoll_wait(epoll, &event, 1, -1) < 0);
      break;
    case 4:
      CHECK(eventfd_read(event_fd, &value) < 0);
      break;
    case 5:
      CHECK(select(0, NULL, NULL, NULL, NULL) < 0);
      break;
    default:
      sleep(1000);
  }
  return NULL;
}

int main(void) {
  CHECK(pipe(ends) == 0);
  for (intptr_t i = 0; i < 14; ++i) start(wait_somehow, (void*)(i % 7));
  while (atomic_load(&waiting) < 14) sleep_ms(1);
  let_it_block();
  printf("leaving\n");
  exit(21);
}
