// SPDX-License-Identifier: Apache-2.0
// Reports as JSON, and numbers out of the JSON that rivals and weft itself print.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bench/benchmark.h"

namespace weft::bench {

// {"benchmark": name, "rows": [{"name", "ours", "rival", "rival_name", "ratio", "bar", "holds",
// …}],
//  "notes": […]}. What a row does not have is null; numbers that are none are null too.
std::string to_json(const std::string& benchmark, const Report& report);

// {"benchmarks": [{"name", "summary"}]}
std::string to_json(const std::vector<Benchmark>& benchmarks);

// The number at a JSON pointer ("/cpu/threads"). The Error quotes the text that had none.
base::Result<double> number_at(const std::string& text, const std::string& pointer);

}  // namespace weft::bench
