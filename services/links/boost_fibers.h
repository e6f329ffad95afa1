// SPDX-License-Identifier: Apache-2.0
// The model of Boost.Fiber, which is built where that is found.
#pragma once

#include "model.h"

namespace links {

bool has_boost_fibers() noexcept;
// Throws std::invalid_argument where it was not found when this was built.
std::unique_ptr<Model> make_boost_fibers(weft::Pool& pool);

// Has the pool call the work, as Model::begin() does.
void run_on(weft::Pool& pool, Model::Work work, Model::Done done);

}  // namespace links
