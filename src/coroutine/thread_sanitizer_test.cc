// SPDX-License-Identifier: Apache-2.0
// What ThreadSanitizer cannot see. any_io_executor counts its references with a release and, before
// the last one deletes, an acquire fence (asio/detail/atomic_count.hpp): fences are beyond it.
// exception_ptr counts its own in libstdc++, which is not instrumented.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:boost::asio::execution::detail::any_executor_base::destroy_shared\n"
         "race:std::__exception_ptr::exception_ptr::_M_release\n";
}
