// SPDX-License-Identifier: Apache-2.0
// Exhaustive search: the tree of choices, depth first, cut where a schedule preempts too often.
#include <array>

#include "model/strategy.h"

namespace weft::model {
namespace {

class ExhaustiveStrategy final : public Strategy {
 public:
  explicit ExhaustiveStrategy(const Options& options)
      : schedules_(options.schedules), preemption_bound_(options.preemption_bound) {}

  bool begin() override {
    depth_ = 0;
    preemptions_ = 0;
    if (begun_ != 0) {
      while (!path_.empty() && path_.back().chosen + 1 == path_.back().count) path_.pop_back();
      complete_ = path_.empty();
    }
    if (complete_ || begun_ == schedules_) return false;
    if (begun_++ != 0) ++path_.back().chosen;
    return true;
  }

  std::optional<std::size_t> choose_actor(std::span<const Actor> actors,
                                          bool may_continue) override {
    const bool no_preemption = may_continue && preemption_bound_ == preemptions_;
    std::array<std::uint8_t, most_actors> allowed{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < actors.size(); ++i) {
      if (i == 0 || !no_preemption || !is_thread(actors[i])) {
        allowed[count++] = static_cast<std::uint8_t>(i);
      }
    }
    const std::optional<std::size_t> chosen = descend(count);
    if (!chosen) return std::nullopt;
    const std::size_t position = allowed[*chosen];
    if (may_continue && position != 0 && is_thread(actors[position])) ++preemptions_;
    return position;
  }

  std::optional<std::size_t> choose_waiter(std::size_t count) override { return descend(count); }

  bool complete() const override { return complete_; }

 private:
  struct Branch {
    std::size_t chosen;
    std::size_t count;
  };

  // Takes the branch that is to be taken at this depth of the tree.
  std::optional<std::size_t> descend(std::size_t count) {
    if (count == 1) return 0;
    if (depth_ == path_.size()) path_.push_back({0, count});
    const Branch branch = path_[depth_++];
    if (branch.count != count) return std::nullopt;
    return branch.chosen;
  }

  const std::uint64_t schedules_;
  const std::optional<unsigned> preemption_bound_;
  std::uint64_t begun_ = 0;
  bool complete_ = false;
  std::vector<Branch> path_;  // of the present schedule; beyond depth_, of the one before

  // Of the present schedule.
  std::size_t depth_ = 0;
  unsigned preemptions_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive_strategy(const Options& options) {
  return std::make_unique<ExhaustiveStrategy>(options);
}

}  // namespace weft::model
