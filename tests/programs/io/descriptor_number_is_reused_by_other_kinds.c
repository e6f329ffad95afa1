// SPDX-License-Identifier: Apache-2.0
// One descriptor number is a pipe, a socket, an eventfd and a file in turn; each waits as it
// should.
#include "../io_support.h"

#include <sys/eventfd.h>

enum { NUMBER = 50, ROUNDS = 300 };
static int write_end;
static pthread_barrier_t turn;

static void* write_each_time(void* unused) {
  (void)unused;
  for (int i = 0; i < 3 * ROUNDS; ++i) {
    pthread_barrier_wait(&turn);
    if (i % 30 == 0) sleep_ms(2);
    const uint64_t value = (uint64_t)i + 1;
    CHECK(write(write_end, &value, sizeof value) == sizeof value);
  }
  return NULL;
}

static void wait_for(uint64_t expected) {
  uint64_t value = 0;
  pthread_barrier_wait(&turn);
  CHECK(read(NUMBER, &value, sizeof value) == sizeof value);
  CHECK(value == expected);
}

static void move_to_number(int fd) {
  CHECK(dup2(fd, NUMBER) == NUMBER);
  close(fd);
}

static void body(void) {
  uint64_t turns = 0;
  CHECK(pthread_barrier_init(&turn, NULL, 2) == 0);
  const pthread_t writer = start(write_each_time, NULL);
  for (int i = 0; i < ROUNDS; ++i) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    move_to_number(ends[0]);
    write_end = ends[1];
    wait_for(++turns);
    close(ends[1]);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    move_to_number(ends[0]);
    write_end = ends[1];
    wait_for(++turns);
    close(ends[1]);
    close(NUMBER);
    move_to_number(eventfd(0, 0));
    write_end = NUMBER;
    wait_for(++turns);
    close(NUMBER);
    move_to_number(open("/dev/null", O_RDONLY));
    char byte;
    CHECK(read(NUMBER, &byte, 1) == 0);
    close(NUMBER);
  }
  finish(writer);
  printf("%llu waits\n", (unsigned long long)turns);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
