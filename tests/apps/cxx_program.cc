// SPDX-License-Identifier: Apache-2.0
// What C++20 gives to programs with threads, each checked by a sum that is printed.
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace {

constexpr int threads = 32;

std::uint64_t sum_by_async(std::uint64_t from, std::uint64_t to) {
  if (to - from <= 1000) {
    std::uint64_t sum = 0;
    for (std::uint64_t value = from; value < to; ++value) sum += value;
    return sum;
  }
  const std::uint64_t middle = from + (to - from) / 2;
  auto left = std::async(std::launch::async, sum_by_async, from, middle);
  const std::uint64_t right = sum_by_async(middle, to);
  return left.get() + right;
}

// Counts what each of many threads sees between a latch and a stop request.
int stopped_threads() {
  std::latch started(threads);
  std::atomic<int> stopped{0};
  {
    std::vector<std::jthread> running;
    running.reserve(threads);
    for (int index = 0; index < threads; ++index) {
      running.emplace_back([&](const std::stop_token& token) {
        std::mutex mutex;
        std::condition_variable_any condition;
        started.count_down();
        std::unique_lock lock(mutex);
        condition.wait(lock, token, [] { return false; });
        stopped += token.stop_requested() ? 1 : 0;
      });
    }
    started.wait();
  }
  return stopped;
}

// Each phase adds what all have written in the one before.
std::uint64_t phases_of_a_barrier() {
  std::uint64_t total = 0;
  std::vector<std::uint64_t> parts(threads, 1);
  std::barrier phase(threads, [&]() noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t part : parts) sum += part;
    total = total * 3 + sum;
  });
  std::vector<std::jthread> running;
  for (std::size_t index = 0; index < threads; ++index) {
    running.emplace_back([&, index] {
      for (std::uint64_t round = 1; round <= 200; ++round) {
        parts[index] = round * (index + 1) + total % 7;
        phase.arrive_and_wait();
      }
    });
  }
  running.clear();
  return total;
}

// A ring of threads hands a number on by atomic::wait.
int ring_of_atomics() {
  std::atomic<int> turn{0};
  constexpr int rounds = 300;
  std::vector<std::jthread> running;
  for (int index = 0; index < threads; ++index) {
    running.emplace_back([&, index] {
      for (int round = 0; round < rounds; ++round) {
        const int mine = round * threads + index;
        for (int seen = turn.load(); seen != mine; seen = turn.load()) turn.wait(seen);
        turn.store(mine + 1);
        turn.notify_all();
      }
    });
  }
  running.clear();
  return turn;
}

// A queue with a counting semaphore; consumers add up what producers made.
std::uint64_t queue_with_semaphores() {
  std::counting_semaphore<> filled(0);
  std::counting_semaphore<> room(16);
  std::mutex mutex;
  std::deque<std::uint64_t> queue;
  std::atomic<std::uint64_t> sum{0};
  constexpr std::uint64_t each = 2000;
  std::vector<std::jthread> running;
  for (int pair = 0; pair < threads / 2; ++pair) {
    running.emplace_back([&] {
      for (std::uint64_t value = 1; value <= each; ++value) {
        room.acquire();
        {
          const std::scoped_lock guard(mutex);
          queue.push_back(value);
        }
        filled.release();
      }
    });
    running.emplace_back([&] {
      for (std::uint64_t count = 0; count < each; ++count) {
        filled.acquire();
        {
          const std::scoped_lock guard(mutex);
          sum += queue.front();
          queue.pop_front();
        }
        room.release();
      }
    });
  }
  running.clear();
  return sum;
}

int readers_and_writers() {
  std::shared_timed_mutex mutex;
  int first = 0;
  int second = 0;
  std::atomic<int> torn{0};
  std::vector<std::jthread> running;
  for (int index = 0; index < threads; ++index) {
    running.emplace_back([&, index] {
      for (int round = 0; round < 1000; ++round) {
        if (index % 4 == 0) {
          while (!mutex.try_lock_for(std::chrono::seconds(1))) {
          }
          ++first;
          ++second;
          mutex.unlock();
        } else {
          const std::shared_lock guard(mutex);
          torn += first == second ? 0 : 1;
        }
      }
    });
  }
  running.clear();
  return torn == 0 ? first : -1;
}

int futures_with_exceptions() {
  int caught = 0;
  for (int index = 0; index < threads; ++index) {
    std::packaged_task<int(int)> task([](int value) {
      if (value % 2 == 0) throw value;
      return value;
    });
    std::future<int> answer = task.get_future();
    std::jthread(std::move(task), index).detach();
    try {
      answer.get();
    } catch (int value) {
      caught += value;
    }
  }
  return caught;
}

}  // namespace

int main(int count, char** arguments) {
  const int repeats = count > 1 ? std::atoi(arguments[1]) : 1;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::printf("async %llu\n", static_cast<unsigned long long>(sum_by_async(0, 300'000)));
    std::printf("stopped %d\n", stopped_threads());
    std::printf("barrier %llu\n", static_cast<unsigned long long>(phases_of_a_barrier()));
    std::printf("ring %d\n", ring_of_atomics());
    std::printf("queue %llu\n", static_cast<unsigned long long>(queue_with_semaphores()));
    std::printf("readers and writers %d\n", readers_and_writers());
    std::printf("exceptions %d\n", futures_with_exceptions());
  }
}
