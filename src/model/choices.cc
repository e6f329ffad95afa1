// SPDX-License-Identifier: Apache-2.0
// Choices to text and back.
#include "model/choices.h"

#include <algorithm>

#include "base/text.h"

namespace weft::model {

std::string choices_to_text(std::span<const std::uint8_t> choices) {
  std::string text;
  for (auto run = choices.begin(); run != choices.end();) {
    const auto end =
        std::find_if(run, choices.end(), [run](auto choice) { return choice != *run; });
    if (!text.empty()) text += ',';
    if (end - run > 1) text += std::to_string(end - run) + 'x';
    text += std::to_string(*run);
    run = end;
  }
  return text;
}

std::optional<std::vector<std::uint8_t>> choices_from_text(std::string_view text) {
  constexpr std::size_t most = 10'000'000;
  std::vector<std::uint8_t> choices;
  if (!text.empty() && text.back() == ',') return std::nullopt;
  while (!text.empty()) {
    std::string_view item = base::take_until(text, ',');
    std::size_t times = 1;
    if (item.find('x') != std::string_view::npos) {
      const auto number = base::to_number<std::size_t>(base::take_until(item, 'x'));
      if (!number || *number == 0) return std::nullopt;
      times = *number;
    }
    const auto choice = base::to_number<std::uint8_t>(item);
    if (!choice || times > most - choices.size()) return std::nullopt;
    choices.insert(choices.end(), times, *choice);
  }
  return choices;
}

}  // namespace weft::model
