// SPDX-License-Identifier: Apache-2.0
// Two threads that wake each other in turn, by a condition.
#include <pthread.h>

#include "pinning.h"
#include "sides.h"
#include "timing.h"

namespace weft::engine {
namespace {

struct Table {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  std::uint64_t turn = 0;
};

template <class Side>
void play(Table& table, std::uint64_t mine, std::uint64_t rounds) {
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Side::lock(&table.mutex);
    while (table.turn % 2 != mine) Side::wait(&table.changed, &table.mutex);
    ++table.turn;
    Side::signal(&table.changed);
    Side::unlock(&table.mutex);
  }
}

template <class Side, unsigned cpus>
Numbers measure(const Scale& scale) {
  pin_to_first(cpus);
  Side side(cpus);
  const double round = nanoseconds_each(scale.time(100), 1000, [&](std::uint64_t rounds) {
    Table table;
    Team<Side> players(side);
    players.start([&] { play<Side>(table, 0, rounds); });
    players.start([&] { play<Side>(table, 1, rounds); });
    players.join();
    require(table.turn == 2 * rounds, "every round of the ping-pong was played");
  });
  return {{"value", 1e6 / round}};  // thousands of rounds in a second
}

}  // namespace

Measurements ping_pong_measurements() {
  return {{"ping_pong_1.weft", measure<Weft, 1>},
          {"ping_pong_1.nptl", measure<Nptl, 1>},
          {"ping_pong_2.weft", measure<Weft, 2>},
          {"ping_pong_2.nptl", measure<Nptl, 2>}};
}

}  // namespace weft::engine
