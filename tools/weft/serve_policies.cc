// SPDX-License-Identifier: Apache-2.0
// The policies of `weft serve`, by name.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "serve.h"
#include "serve/concurrency.h"
#include "serve/conversations.h"
#include "serve/coroutines.h"
#include "serve/server.h"
#include "suggest.h"

namespace weft::tool {
namespace {

std::unique_ptr<serve::RunningServer> make_pooled(Policy policy, const ServeArguments& arguments,
                                                  serve::Site& site, Listeners listeners) {
  serve::ServerOptions options;
  options.pool.policy = policy;
  options.pool.minimum = static_cast<std::uint32_t>(arguments.workers);
  options.pool.maximum = static_cast<std::uint32_t>(arguments.most_workers);
  return std::make_unique<serve::Server>(std::move(options), site, std::move(listeners));
}

std::unique_ptr<serve::RunningServer> make_conversations(
    std::unique_ptr<serve::Concurrency> concurrency, serve::Site& site, Listeners listeners) {
  return std::make_unique<serve::Conversations>(serve::ReactorLimits{}, site, std::move(listeners),
                                                std::move(concurrency));
}

template <Policy policy>
std::unique_ptr<serve::RunningServer> make(const ServeArguments& arguments, serve::Site& site,
                                           Listeners listeners) {
  return make_pooled(policy, arguments, site, std::move(listeners));
}

struct NamedPolicy {
  const char* name;
  MakeServer make;
};

constexpr NamedPolicy policies[] = {
    {"fixed", make<Policy::fixed>},
    {"adaptive-inline", make<Policy::adaptive_inline>},
    {"adaptive-monitor", make<Policy::adaptive_monitor>},
    {"adaptive", make<Policy::adaptive>},
    {"fibers",
     [](const ServeArguments& arguments, serve::Site& site, Listeners listeners) {
       return make_conversations(serve::make_fibers(static_cast<unsigned>(arguments.workers)), site,
                                 std::move(listeners));
     }},
    {"coroutines",
     [](const ServeArguments& arguments, serve::Site& site, Listeners listeners) {
       serve::CoroutineOptions options;
       options.threads = static_cast<unsigned>(arguments.workers);
       options.pool.maximum = static_cast<std::uint32_t>(arguments.most_workers);
       return serve::make_coroutines(std::move(options), site, std::move(listeners));
     }},
    {"thread-per-connection",
     [](const ServeArguments&, serve::Site& site, Listeners listeners) {
       return make_conversations(serve::make_threads(), site, std::move(listeners));
     }},
};

}  // namespace

base::Result<MakeServer> find_policy(const std::string& name) {
  std::vector<std::string> names;
  std::string known;
  for (const NamedPolicy& policy : policies) {
    if (name == policy.name) return policy.make;
    names.emplace_back(policy.name);
    known += (known.empty() ? "" : ", ") + names.back();
  }
  return base::Error{"there is no policy '" + name + "'." + did_you_mean(name, names) +
                     " Policies are: " + known};
}

}  // namespace weft::tool
