// SPDX-License-Identifier: Apache-2.0
// OpenMP's ways to share work, each checked by a sum that is printed.
#include <omp.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int items = 100'000;

std::uint64_t work(int item) {
  std::uint64_t value = static_cast<std::uint64_t>(item) + 1;
  for (int step = 0; step < 20; ++step) value = value * 6364136223846793005U + 1442695040888963407U;
  return value >> 32;
}

std::uint64_t fibonacci_by_tasks(int number) {
  if (number < 2) return static_cast<std::uint64_t>(number);
  std::uint64_t before = 0;
  std::uint64_t last = 0;
#pragma omp task shared(before) firstprivate(number) if (number > 10)
  before = fibonacci_by_tasks(number - 2);
#pragma omp task shared(last) firstprivate(number) if (number > 10)
  last = fibonacci_by_tasks(number - 1);
#pragma omp taskwait
  return before + last;
}

void loops() {
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int item = 0; item < items; ++item) sum += work(item);
  std::printf("static %llu\n", static_cast<unsigned long long>(sum));
  sum = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : sum)
  for (int item = 0; item < items; ++item) sum += work(item);
  std::printf("dynamic %llu\n", static_cast<unsigned long long>(sum));
  sum = 0;
#pragma omp parallel for schedule(guided) reduction(+ : sum)
  for (int item = 0; item < items; ++item) sum += work(item);
  std::printf("guided %llu\n", static_cast<unsigned long long>(sum));
  sum = 0;
#pragma omp parallel for ordered schedule(dynamic)
  for (int item = 0; item < 500; ++item) {
    const std::uint64_t value = work(item);
#pragma omp ordered
    sum = sum * 31 + value;
  }
  std::printf("ordered %llu\n", static_cast<unsigned long long>(sum));
}

void many_short_regions() {
  std::uint64_t sum = 0;
  for (int region = 0; region < 500; ++region) {
#pragma omp parallel for reduction(+ : sum)
    for (int item = 0; item < 16; ++item) sum += work(region + item);
  }
  std::printf("short regions %llu\n", static_cast<unsigned long long>(sum));
}

void locks_and_barriers() {
  std::uint64_t in_critical = 0;
  std::uint64_t by_lock = 0;
  std::uint64_t atomically = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  {
#pragma omp for
    for (int item = 0; item < 2000; ++item) {
#pragma omp critical
      in_critical += work(item);
      omp_set_lock(&lock);
      by_lock += work(item);
      omp_unset_lock(&lock);
#pragma omp atomic
      atomically += work(item);
    }
    for (int round = 0; round < 100; ++round) {
#pragma omp barrier
#pragma omp single
      ++by_lock;
    }
  }
  omp_destroy_lock(&lock);
  std::printf("critical %llu lock %llu atomic %llu\n", static_cast<unsigned long long>(in_critical),
              static_cast<unsigned long long>(by_lock),
              static_cast<unsigned long long>(atomically));
}

void tasks() {
  std::uint64_t answer = 0;
#pragma omp parallel
#pragma omp single
  answer = fibonacci_by_tasks(22);
  std::printf("tasks %llu\n", static_cast<unsigned long long>(answer));
  int chain = 1;
#pragma omp parallel
#pragma omp single
  for (int link = 0; link < 200; ++link) {
#pragma omp task depend(inout : chain) firstprivate(link)
    chain = (chain * 3 + link) % 10'007;
  }
  std::printf("dependent tasks %d\n", chain);
}

}  // namespace

int main(int count, char** arguments) {
  const int repeats = count > 1 ? std::atoi(arguments[1]) : 1;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    loops();
    many_short_regions();
    locks_and_barriers();
    tasks();
  }
}
