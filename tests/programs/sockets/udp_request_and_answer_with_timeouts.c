// SPDX-License-Identifier: Apache-2.0
// A UDP server answers every request on loopback; the client's timeout and retry lose nothing.
#include "../io_support.h"

#include <sys/time.h>

enum { REQUESTS = 1000 };
static struct sockaddr_in server_address;

static void* serve(void* descriptor) {
  const int fd = *(int*)descriptor;
  for (;;) {
    int number;
    struct sockaddr_in peer;
    socklen_t bytes = sizeof peer;
    CHECK(recvfrom(fd, &number, sizeof number, 0, (struct sockaddr*)&peer, &bytes) ==
          sizeof number);
    CHECK(bytes == sizeof peer);
    CHECK(sendto(fd, &number, sizeof number, 0, (struct sockaddr*)&peer, bytes) == sizeof number);
    if (number < 0) return NULL;
  }
}

static void body(void) {
  int server_socket = udp_socket(&server_address);
  const pthread_t server = start(serve, &server_socket);
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  const struct timeval timeout = {.tv_sec = 5};
  CHECK(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0);
  CHECK(connect(fd, (struct sockaddr*)&server_address, sizeof server_address) == 0);
  int answered = 0;
  for (int i = 1; i <= REQUESTS; ++i) {
    int number = i == REQUESTS ? -1 : i;
    CHECK(send(fd, &number, sizeof number, 0) == sizeof number);
    int answer;
    CHECK(recv(fd, &answer, sizeof answer, 0) == sizeof answer);
    answered += answer == number;
  }
  finish(server);
  printf("%d answered\n", answered);
  close(fd);
  close(server_socket);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
