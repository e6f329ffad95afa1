// SPDX-License-Identifier: Apache-2.0
// The word of a connection, between reactor and worker: one owner at a time, and no news are lost.
#include <gtest/gtest.h>

#include "base/atomic.h"
#include "expect_pass.h"
#include "model/model.h"
#include "net/owner.h"

namespace weft::model {
namespace {

// A connection on which so much comes, and which goes to the worker so many times.
struct State {
  explicit State(int pieces, int hand_overs) : pieces(pieces), hand_overs(hand_overs) {}

  const int pieces;
  const int hand_overs;
  net::OwnerWord owner;
  atomic<int> holders{0};
  atomic<int> arrived{0};    // in the socket
  atomic<int> edges{0};      // what epoll has to say
  atomic<int> submitted{0};  // jobs for the worker
  atomic<int> posted{0};
  atomic<int> bell{0};  // what the reactor sleeps on
  int read = 0;         // the owner's
  int handed_over = 0;  // the reactor's

  void enter() { check(holders.fetch_add(1) == 0, "two have the connection"); }
  void leave() { holders.fetch_sub(1); }
  void ring() {
    bell.fetch_add(1);
    bell.notify_one();
  }

  // The reactor's: reads what there is, and hands over.
  void serve() {
    enter();
    read = arrived.load();
    leave();
    if (handed_over == hand_overs) return;
    ++handed_over;
    owner.give_to_worker();
    submitted.fetch_add(1);
    submitted.notify_one();
  }

  void react() {
    serve();
    for (int seen = 0;;) {
      const int rung = bell.load();
      if (const int edge = edges.load(); edge != seen) {
        seen = edge;
        if (owner.take_news()) serve();
      }
      if (posted.exchange(0) != 0) {
        check(owner.is_with_worker(), "a post of what is the reactor's");
        owner.take_back();
        serve();
      }
      if (seen == pieces && !owner.is_with_worker() && posted.load() == 0) return;
      bell.wait(rung);
    }
  }

  // `reads`: as with a streamed body. When all is done the last one always posts, so that the
  // reactor looks again.
  void work(bool reads) {
    for (int job = 1; job <= hand_overs; ++job) {
      for (int now = submitted.load(); now < job; now = submitted.load()) submitted.wait(now);
      enter();
      if (reads) read = arrived.load();
      leave();
      const bool is_done = job != hand_overs;
      if (is_done && owner.give_back()) continue;
      posted.store(1);
      ring();
    }
  }

  void arrive() {
    for (int i = 0; i < pieces; ++i) {
      arrived.fetch_add(1);
      edges.fetch_add(1);
      ring();
    }
  }
};

void set_up(Program& program, State& state, bool reads) {
  program.thread([&] { state.react(); });
  program.thread([&state, reads] { state.work(reads); });
  program.thread([&] { state.arrive(); });
  program.finally([&] { check(state.read == state.pieces, "what came was not read"); });
}

void one_hand_over(Program& program) {
  set_up(program, program.make<State>(1, 1), false);
}
// The second is made upon an edge that comes behind the first, or upon the post.
void two_hand_overs(Program& program) {
  set_up(program, program.make<State>(1, 2), false);
}
void two_pieces(Program& program) {
  set_up(program, program.make<State>(2, 2), false);
}
void the_worker_reads(Program& program) {
  set_up(program, program.make<State>(2, 2), true);
}

TEST(Owner, NoNewsAreLost) {
  expect_all_pass(1, one_hand_over);
  expect_all_pass(1, two_hand_overs);
}
TEST(Owner, NoNewsAreLostAtRandom) {
  expect_random_pass(10'000, two_hand_overs);
  expect_random_pass(10'000, two_pieces);
  expect_random_pass(10'000, the_worker_reads);
}

}  // namespace
}  // namespace weft::model
