// SPDX-License-Identifier: Apache-2.0
// Random search with priorities and change points (PCT).
#include <algorithm>
#include <array>

#include "model/strategy.h"

namespace weft::model {
namespace {

// splitmix64: any seed is as good as any other, also neighbours, and seeding costs nothing.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

class RandomStrategy final : public Strategy {
 public:
  explicit RandomStrategy(const Options& options)
      : first_seed_(options.seed),
        schedules_(options.schedules),
        change_points_(options.change_points) {}

  // The first schedule never preempts. It says how many choices the program has, which the places
  // of the change points depend on; being the same for every seed, it does not spoil replay by
  // seed.
  bool begin() override {
    if (begun_ == 0) {
      ++begun_;
      return schedules_ != 0;
    }
    if (begun_ == 1) choices_expected_ = std::max<std::uint64_t>(choices_made_, 4);
    if (begun_ > schedules_) return false;
    seed_ = first_seed_ + begun_ - 1;
    ++begun_;
    generator_ = Generator(*seed_);
    for (std::int64_t& priority : priorities_) {
      priority = static_cast<std::int64_t>(generator_.below(demoted_above));
    }
    // Threads that meet each other take more turns than those that do not.
    const std::uint64_t span = choices_expected_ * (1 + generator_.below(2));
    change_at_.clear();
    for (unsigned i = 0; i < change_points_; ++i) change_at_.push_back(generator_.below(span));
    choices_made_ = 0;
    lowest_ = -demoted_above;
    return true;
  }

  std::optional<std::size_t> choose_actor(std::span<const Actor> actors, bool) override {
    const std::uint64_t now = choices_made_++;
    if (!seed_) return 0;
    if (std::find(change_at_.begin(), change_at_.end(), now) != change_at_.end()) {
      // Below those never demoted, but in any order among the demoted.
      priorities_[actors[highest(actors)]] =
          static_cast<std::int64_t>(generator_.below(demoted_above)) - demoted_above;
    }
    return highest(actors);
  }

  std::optional<std::size_t> choose_waiter(std::size_t count) override {
    return seed_ ? generator_.below(count) : 0;
  }

  void yielded(Actor actor) override {
    // Deadlines that are always over at once would keep all others from running, and those that are
    // always over last would never surprise anybody: half of them are somewhere in between.
    const bool anywhere = is_deadline(actor) && generator_.below(2) == 0;
    priorities_[actor] =
        anywhere ? static_cast<std::int64_t>(generator_.below(2 * demoted_above)) - demoted_above
                 : --lowest_;
  }

  std::optional<std::uint64_t> seed() const override { return seed_; }

 private:
  // Priorities are in [0, this); after a change point in [-this, 0); after a yield below.
  static constexpr std::int64_t demoted_above = std::int64_t{1} << 40;

  std::size_t highest(std::span<const Actor> actors) const {
    const auto lower = [this](Actor a, Actor b) { return priorities_[a] < priorities_[b]; };
    return static_cast<std::size_t>(std::max_element(actors.begin(), actors.end(), lower) -
                                    actors.begin());
  }

  const std::uint64_t first_seed_;
  const std::uint64_t schedules_;
  const unsigned change_points_;
  std::uint64_t begun_ = 0;
  std::uint64_t choices_expected_ = 0;

  // Of the present schedule.
  std::optional<std::uint64_t> seed_;
  Generator generator_{0};
  std::uint64_t choices_made_ = 0;
  std::array<std::int64_t, most_actors> priorities_{};
  std::vector<std::uint64_t> change_at_;
  std::int64_t lowest_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_random_strategy(const Options& options) {
  return std::make_unique<RandomStrategy>(options);
}

}  // namespace weft::model
