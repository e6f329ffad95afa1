// SPDX-License-Identifier: Apache-2.0
// What the two runs of a command have shown, as text for people.
#include <fmt/format.h>

#include "base/text.h"
#include "bench/table.h"
#include "command.h"

namespace weft::demo {
namespace {

std::string ratio(double weft, double native) {
  return native > 0 ? fmt::format("{:.2f}", weft / native) : "-";
}

}  // namespace

std::string to_text(const CommandRun& native, const CommandRun& weft, const std::string& command) {
  using Align = bench::TextTable::Align;
  bench::TextTable table({Align::left, Align::right, Align::right, Align::right});
  table.add({"", "native", "weft", "weft/native"});
  table.add({"time", fmt::format("{:.2f} s", native.seconds), fmt::format("{:.2f} s", weft.seconds),
             ratio(weft.seconds, native.seconds)});
  table.add({"CPU time", fmt::format("{:.2f} s", native.cpu_seconds),
             fmt::format("{:.2f} s", weft.cpu_seconds),
             ratio(weft.cpu_seconds, native.cpu_seconds)});
  table.add({"kernel context switches", fmt::format("{:.0f}", native.switches),
             fmt::format("{:.0f}", weft.switches), ratio(weft.switches, native.switches)});
  table.add({"exit code", std::to_string(native.exit_code), std::to_string(weft.exit_code)});
  std::string text = table.text();
  if (native.exit_code != weft.exit_code) {
    text += "The exit codes differ: something in it does not work under weft, see below.\n";
  }
  std::string_view words = command;
  const std::string_view program = base::take_field(words);
  return text + fmt::format(
                    "One run of each, in this order: repeat it before you believe a small "
                    "difference.\n"
                    "How to go on: weft doctor -- {}   says what weft can do for it here\n"
                    "              docs/tuning.md   says what to do about each line of --stats\n",
                    program);
}

}  // namespace weft::demo
