// SPDX-License-Identifier: Apache-2.0
// Closed, negative, huge and wrongly opened descriptors give EBADF from every call.
#include "../io_support.h"

#include <sys/sendfile.h>
#include <sys/uio.h>

static void try_all(int fd) {
  char buffer[8] = "";
  struct iovec part = {buffer, sizeof buffer};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  const struct sockaddr_in address = {.sin_family = AF_INET};
  errno = 0;
  int bad = 0;
#define IS_BAD(call) bad += (call) == -1 && errno == EBADF
  IS_BAD(read(fd, buffer, sizeof buffer));
  IS_BAD(write(fd, buffer, sizeof buffer));
  IS_BAD(readv(fd, &part, 1));
  IS_BAD(writev(fd, &part, 1));
  IS_BAD(pread(fd, buffer, 1, 0));
  IS_BAD(pwrite(fd, buffer, 1, 0));
  IS_BAD(recv(fd, buffer, 1, 0));
  IS_BAD(send(fd, buffer, 1, 0));
  IS_BAD(recvmsg(fd, &message, 0));
  IS_BAD(sendmsg(fd, &message, 0));
  IS_BAD(accept(fd, NULL, NULL));
  IS_BAD(accept4(fd, NULL, NULL, 0));
  IS_BAD(connect(fd, (const struct sockaddr*)&address, sizeof address));
  IS_BAD(shutdown(fd, SHUT_RDWR));
  IS_BAD(fsync(fd));
  IS_BAD(fdatasync(fd));
  IS_BAD(dup(fd));
  IS_BAD(fcntl(fd, F_GETFL));
  IS_BAD(close(fd));
#undef IS_BAD
  printf("%d of 19\n", bad);
}

static void body(void) {
  char byte;
  int ends[2];
  CHECK(pipe(ends) == 0);
  show("read of the write end", read(ends[1], &byte, 1));
  show("write of the read end", write(ends[0], &byte, 1));
  close(ends[0]);
  close(ends[1]);
  try_all(ends[0]);
  try_all(-1);
  try_all(1 << 30);
  const int directory = open("/", O_RDONLY | O_DIRECTORY);
  show("directory", read(directory, &byte, 1));
  close(directory);
  const int path = open("/", O_PATH);
  show("path only", read(path, &byte, 1));
  close(path);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
