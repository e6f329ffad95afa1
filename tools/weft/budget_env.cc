// SPDX-License-Identifier: Apache-2.0
// A budget as assignments for a shell: what the runtimes of this world would otherwise take from
// the host.
#include <fmt/format.h>

#include <array>
#include <iterator>

#include "budget_output.h"

namespace weft::tool {
namespace {

// Which number a variable gets.
enum class Takes { cpu_pool, io_pool, arenas };

struct Variable {
  const char* name;
  Takes takes;
  const char* form;  // of the value; {} is the number
  const char* reason;
};

constexpr std::array variables{
    Variable{"MALLOC_ARENA_MAX", Takes::arenas, "{}", "glibc malloc: else 8 arenas per host CPU"},
    Variable{"MALLOC_CONF", Takes::arenas, "\"${{MALLOC_CONF:+$MALLOC_CONF,}}narenas:{}\"",
             "jemalloc: else 4 arenas per host CPU"},
    Variable{"OMP_NUM_THREADS", Takes::cpu_pool, "{}", "OpenMP: else a thread per CPU in the mask"},
    Variable{"OPENBLAS_NUM_THREADS", Takes::cpu_pool, "{}", "OpenBLAS: else a thread per host CPU"},
    Variable{"MKL_NUM_THREADS", Takes::cpu_pool, "{}", "Intel MKL: else a thread per host core"},
    Variable{"NUMEXPR_MAX_THREADS", Takes::cpu_pool, "{}", "NumExpr: else up to 16 threads"},
    Variable{"NUMBA_NUM_THREADS", Takes::cpu_pool, "{}",
             "Numba: else a thread per CPU in the mask"},
    Variable{"POLARS_MAX_THREADS", Takes::cpu_pool, "{}", "Polars: else a thread per CPU"},
    Variable{"PYTHON_CPU_COUNT", Takes::cpu_pool, "{}", "Python 3.13 and later: os.cpu_count()"},
    Variable{"GOMAXPROCS", Takes::cpu_pool, "{}",
             "Go: before 1.25 the quota is not seen, later only that of the leaf, rounded up"},
    Variable{"UV_THREADPOOL_SIZE", Takes::io_pool, "{}",
             "Node and libuv: threads for blocking calls, so the I/O pool; else 4"},
    Variable{"RAYON_NUM_THREADS", Takes::cpu_pool, "{}", "Rust, rayon: work that computes"},
    Variable{"TOKIO_WORKER_THREADS", Takes::cpu_pool, "{}", "Rust, tokio: its workers never block"},
    Variable{"JULIA_NUM_THREADS", Takes::cpu_pool, "{}", "Julia: threads of the default pool"},
    Variable{"DOTNET_PROCESSOR_COUNT", Takes::cpu_pool, "{}", ".NET: else the quota rounded up"},
    Variable{"JAVA_TOOL_OPTIONS", Takes::cpu_pool,
             "\"${{JAVA_TOOL_OPTIONS:+$JAVA_TOOL_OPTIONS }}-XX:ActiveProcessorCount={}\"",
             "Java: else the quota rounded up"},
    Variable{"WEB_CONCURRENCY", Takes::cpu_pool, "{}", "gunicorn, uvicorn, puma: processes"},
    Variable{"CMAKE_BUILD_PARALLEL_LEVEL", Takes::cpu_pool, "{}",
             "cmake --build: compilers at once"},
};

const budget::Size& number_for(Takes takes, const budget::Sizes& sizes) {
  switch (takes) {
    case Takes::cpu_pool:
      return sizes.cpu_pool_threads;
    case Takes::io_pool:
      return sizes.io_pool_threads;
    case Takes::arenas:
      return sizes.malloc_arenas;
  }
  return sizes.cpu_pool_threads;
}

}  // namespace

std::string budget_env(const budget::Budget& budget) {
  const budget::Sizes& sizes = budget.sizes;
  std::string text = fmt::format(
      "# {} cores from {} ({}). Use with: eval \"$(weft budget --env)\"\n"
      "# CPU pool {}: {}; I/O pool {}: {}; malloc arenas {}: {}\n",
      budget.cpu.cores, budget.cpu.source, budget.cpu.where, sizes.cpu_pool_threads.value,
      sizes.cpu_pool_threads.rule, sizes.io_pool_threads.value, sizes.io_pool_threads.rule,
      sizes.malloc_arenas.value, sizes.malloc_arenas.rule);
  const auto out = std::back_inserter(text);
  for (const Variable& variable : variables) {
    const std::string value =
        fmt::format(fmt::runtime(variable.form), number_for(variable.takes, sizes).value);
    fmt::format_to(out, "export {}={}  # {}\n", variable.name, value, variable.reason);
  }
  const auto& high = budget.memory.throttled_above_bytes;
  if (high || budget.memory.source.starts_with("cgroup")) {
    constexpr std::uint64_t percent = 90;
    const std::uint64_t usable = high.value_or(budget.memory.bytes);
    fmt::format_to(out, "export GOMEMLIMIT={}  # Go: collects before the limit kills ({}% of {})\n",
                   usable / 100 * percent, percent,
                   high ? budget.memory.throttled_where : budget.memory.where);
  }
  return text;
}

}  // namespace weft::tool
