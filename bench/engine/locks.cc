// SPDX-License-Identifier: Apache-2.0
// Locks that nobody else wants.
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <thread>

#include "pinning.h"
#include "sides.h"
#include "timing.h"

namespace weft::engine {
namespace {

// While there is but one thread, libc leaves out what others would need. So there is one more.
class SecondThread {
 public:
  ~SecondThread() {
    over_ = true;
    over_.notify_one();
    thread_.join();
  }

 private:
  std::atomic<bool> over_{false};
  std::thread thread_{[this] { over_.wait(false); }};
};

// The functions are loaded each time from where the compiler does not know them, and called as a
// program calls a shared library.
template <class Object>
Numbers measure(const Scale& scale, Object& object, int (*take)(Object*), int (*give)(Object*)) {
  pin_to_first(1);
  const SecondThread second;
  int (*volatile opaque_take)(Object*) = take;
  int (*volatile opaque_give)(Object*) = give;
  require(take(&object) == 0 && give(&object) == 0, "an uncontended lock can be taken");
  return {{"value", nanoseconds_each_by_slices(scale, [&](std::uint64_t count) {
             for (std::uint64_t i = 0; i < count; ++i) {
               opaque_take(&object);
               opaque_give(&object);
             }
           })}};
}

// On lines of the cache of their own.
alignas(64) pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
alignas(64) pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
alignas(64) sem_t semaphore;

}  // namespace

Measurements lock_measurements() {
  return {
      {"mutex.weft",
       [](const Scale& scale) {
         return measure<pthread_mutex_t>(scale, mutex, Weft::lock, Weft::unlock);
       }},
      {"mutex.nptl",
       [](const Scale& scale) {
         return measure(scale, mutex, pthread_mutex_lock, pthread_mutex_unlock);
       }},
      {"read_lock.weft",
       [](const Scale& scale) {
         return measure<pthread_rwlock_t>(scale, rwlock, Weft::read_lock, Weft::unlock);
       }},
      {"read_lock.nptl",
       [](const Scale& scale) {
         return measure(scale, rwlock, pthread_rwlock_rdlock, pthread_rwlock_unlock);
       }},
      {"semaphore.weft",
       [](const Scale& scale) { return measure<sem_t>(scale, semaphore, Weft::post, Weft::wait); }},
      {"semaphore.nptl",
       [](const Scale& scale) { return measure(scale, semaphore, sem_post, sem_wait); }},
  };
}

}  // namespace weft::engine
