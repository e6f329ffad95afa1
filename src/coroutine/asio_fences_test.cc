// SPDX-License-Identifier: Apache-2.0
// What ThreadSanitizer is told about Asio: any_io_executor counts its references with a release
// and, before the last one deletes, an acquire fence (asio/detail/atomic_count.hpp); fences are
// beyond it.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:boost::asio::execution::detail::any_executor_base::destroy_shared\n";
}
