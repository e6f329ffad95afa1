// SPDX-License-Identifier: Apache-2.0
// splice from an empty pipe to a file, and from a socket to a pipe, waits for the data.
#include "../io_support.h"

static int pipe_ends[2], socket_ends[2];

static void* write_later(void* fd) {
  let_it_block();
  write_all(*(int*)fd, "spliced!", 8);
  return NULL;
}

static void body(void) {
  char text[9] = "";
  const int file = temporary_file();
  CHECK(pipe(pipe_ends) == 0);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, socket_ends) == 0);
  pthread_t writer = start(write_later, &pipe_ends[1]);
  show("pipe to file", splice(pipe_ends[0], NULL, file, NULL, 100, 0));
  finish(writer);
  CHECK(pread(file, text, 8, 0) == 8);
  printf("%s\n", text);
  writer = start(write_later, &socket_ends[1]);
  show("socket to pipe", splice(socket_ends[0], NULL, pipe_ends[1], NULL, 100, SPLICE_F_MOVE));
  finish(writer);
  show("pipe to socket", splice(pipe_ends[0], NULL, socket_ends[0], NULL, 100, 0));
  show("arrived", read(socket_ends[1], text, 8));
  show("nonblocking", splice(pipe_ends[0], NULL, file, NULL, 100, SPLICE_F_NONBLOCK));
  show("no pipe", splice(file, NULL, socket_ends[0], NULL, 100, 0));
  off64_t offset = 4;
  show("file to pipe", splice(file, &offset, pipe_ends[1], NULL, 100, 0));
  printf("offset %lld\n", (long long)offset);
  close(file);
  for (int i = 0; i < 2; ++i) close(pipe_ends[i]), close(socket_ends[i]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
