// SPDX-License-Identifier: Apache-2.0
// Threads that wait for descriptors and locks while a program changes its table of descriptors.
#pragma once

#include "../support.h"

#include <fcntl.h>
#include <sys/socket.h>

// Two threads that hand a byte to and fro, at these numbers and the ones behind them.
struct game {
  int ends[2];
  pthread_t players[2];
};

static inline void* answer_bytes(void* end) {
  char byte;
  while (read(*(int*)end, &byte, 1) == 1) CHECK(write(*(int*)end, &byte, 1) == 1);
  return NULL;
}

static inline void* ask_bytes(void* end) {
  for (int i = 0; i < 200; ++i) {
    char byte = (char)i;
    CHECK(write(*(int*)end, &byte, 1) == 1 && read(*(int*)end, &byte, 1) == 1 && byte == (char)i);
  }
  OK(shutdown(*(int*)end, SHUT_RDWR));
  return NULL;
}

static inline void begin_game(struct game* game) {
  OK(socketpair(AF_UNIX, SOCK_STREAM, 0, game->ends));
  game->players[0] = start(answer_bytes, &game->ends[0]);
  game->players[1] = start(ask_bytes, &game->ends[1]);
}

static inline void end_game(struct game* game) {
  join(game->players[1]);
  join(game->players[0]);
  OK(close(game->ends[0]));
  OK(close(game->ends[1]));
}

// Shows that threads still wait and wake, sleep and lock.
static inline void play(void) {
  struct game game;
  begin_game(&game);
  end_game(&game);
  sleep_ms(1);
}
