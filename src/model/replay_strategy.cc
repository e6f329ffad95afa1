// SPDX-License-Identifier: Apache-2.0
// Replay: one schedule, by a list of choices.
#include "model/strategy.h"

namespace weft::model {
namespace {

class ReplayStrategy final : public Strategy {
 public:
  explicit ReplayStrategy(std::vector<std::uint8_t> choices) : choices_(std::move(choices)) {}

  bool begin() override { return !std::exchange(begun_, true); }

  std::optional<std::size_t> choose_actor(std::span<const Actor> actors, bool) override {
    return next(actors.size());
  }
  std::optional<std::size_t> choose_waiter(std::size_t count) override { return next(count); }

 private:
  std::optional<std::size_t> next(std::size_t count) {
    if (made_ == choices_.size()) return 0;
    const std::size_t choice = choices_[made_++];
    if (choice >= count) return std::nullopt;
    return choice;
  }

  const std::vector<std::uint8_t> choices_;
  std::size_t made_ = 0;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_replay_strategy(std::vector<std::uint8_t> choices) {
  return std::make_unique<ReplayStrategy>(std::move(choices));
}

}  // namespace weft::model
