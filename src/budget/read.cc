// SPDX-License-Identifier: Apache-2.0
// A whole budget, read in one go.
#include "budget/reading.h"

namespace weft::budget {

Reading read_with_footprint(const Query& query) {
  Reading reading;
  const Host host(query);
  const CgroupView view = view_cgroups(host);
  Budget& budget = reading.budget;
  budget.cpu = read_cpu(host, view, budget.notes, reading.footprint);
  // A pin is not watched: what was read for the CPU cannot change the answer.
  if (budget.cpu.pinned) reading.footprint = {};
  budget.memory = read_memory(host, view, budget.notes, reading.footprint);
  budget.sizes = sizes_for(budget.cpu, budget.memory);
  return reading;
}

Budget read(const Query& query) {
  return read_with_footprint(query).budget;
}

}  // namespace weft::budget
