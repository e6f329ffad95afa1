// SPDX-License-Identifier: Apache-2.0
// The order in which contenders run.
#include "bench/comparison.h"

#include "bench/interrupt.h"

namespace weft::bench {

base::Result<Samples> run_interleaved(const std::vector<Contender>& contenders, int repeats,
                                      Progress& progress) {
  Samples samples(contenders.size());
  constexpr int warm_up = -1;
  for (int repetition = warm_up; repetition < repeats; ++repetition) {
    const bool backwards = repetition % 2 != 0;
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      if (auto status = check_interrupt(); !status) return status.error();
      const std::size_t index = backwards ? contenders.size() - 1 - turn : turn;
      const Contender& contender = contenders[index];
      const std::string round =
          repetition == warm_up
              ? "warming up"
              : "repetition " + std::to_string(repetition + 1) + " of " + std::to_string(repeats);
      progress.show(round + ": " + contender.name);
      const base::Result<double> number = contender.measure();
      if (!number) {
        return base::Error{contender.name + " failed (" + round + "): " + number.error().message,
                           number.error().code};
      }
      if (repetition != warm_up) samples[index].push_back(*number);
    }
  }
  return samples;
}

}  // namespace weft::bench
