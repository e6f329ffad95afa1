// SPDX-License-Identifier: Apache-2.0
// A static object may stop and join its thread in its destructor after main.

#include "support.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

class Service {
 public:
  Service() : thread_([this] { run(); }) {}
  ~Service() {
    {
      std::lock_guard held(lock_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
    say("service stopped\n");
  }

 private:
  void run() {
    std::unique_lock held(lock_);
    changed_.wait(held, [this] { return stopping_; });
    say("service told to stop\n");
  }
  std::mutex lock_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

static Service service;

int main() {
  say("main ends\n");
}
