// SPDX-License-Identifier: Apache-2.0
// Arenas and stacks.
#include "service/process.h"

#include <malloc.h>
#include <pthread.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace weft::service {
namespace {

Setting set_arenas(const budget::Size& size) {
  Setting setting{"malloc arenas", size.value, size.rule, ""};
  if (const char* const wish = std::getenv("MALLOC_ARENA_MAX")) {
    setting.problem = std::string("MALLOC_ARENA_MAX says ") + wish;
  } else if (::mallopt(M_ARENA_MAX,
                       static_cast<int>(std::min<std::uint64_t>(size.value, INT_MAX))) == 0) {
    setting.problem = "mallopt() refuses it";
  }
  return setting;
}

Setting set_stacks(const budget::Size& size) {
  Setting setting{"stack bytes of a thread", size.value, size.rule, ""};
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  int error = ::pthread_attr_setstacksize(&attributes, size.value);
  if (error == 0) error = ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
  if (error != 0) setting.problem = std::strerror(error);
  return setting;
}

}  // namespace

std::vector<Setting> apply_sizes(const budget::Budget& budget) {
  return {set_arenas(budget.sizes.malloc_arenas), set_stacks(budget.sizes.stack_bytes_per_thread)};
}

}  // namespace weft::service
