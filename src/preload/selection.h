// SPDX-License-Identifier: Apache-2.0
// Selection: the three sets of a select, as what poll takes.
//
// Programs have sets that are longer than fd_set, so they are read word by word, as the kernel
// does.
#pragma once

#include <poll.h>
#include <sys/select.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <memory>

namespace weft::preload {

class Selection {
 public:
  // Precondition: the count is not negative.
  Selection(int count, fd_set* read, fd_set* write, fd_set* except)
      : limit_(count),
        sets_{{read, POLLIN | POLLRDNORM | POLLRDBAND, POLLHUP | POLLERR},
              {write, POLLOUT | POLLWRNORM | POLLWRBAND, POLLERR},
              {except, POLLPRI, 0}} {
    for_each_selected([this](int) { ++count_; });
    if (count_ > most_on_stack) many_ = std::make_unique<pollfd[]>(count_);
    pollfd* next = data();
    for_each_selected([&](int descriptor) {
      *next++ = {.fd = descriptor, .events = events_for(descriptor), .revents = 0};
    });
  }

  pollfd* data() noexcept { return many_ != nullptr ? many_.get() : few_; }
  std::size_t count() const noexcept { return count_; }

  // What select answers to what poll has found: how many bits, or minus errno.
  long ready() noexcept {
    long ready = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      if ((data()[i].revents & POLLNVAL) != 0) return -EBADF;
      for (const Set& set : sets_) ready += is_found(set, data()[i]) ? 1 : 0;
    }
    return ready;
  }

  // Leaves in the sets what poll has found.
  void write_back() noexcept {
    for (const Set& set : sets_) {
      for (int first = 0; set.bits != nullptr && first < limit_; first += word_bits) {
        word_of(set, first) = 0;
      }
    }
    for (std::size_t i = 0; i < count_; ++i) {
      for (const Set& set : sets_) {
        if (is_found(set, data()[i])) word_of(set, data()[i].fd) |= bit_of(data()[i].fd);
      }
    }
  }

 private:
  using Word = unsigned long;
  static constexpr int word_bits = 8 * sizeof(Word);
  static constexpr std::size_t most_on_stack = 64;

  struct Set {
    fd_set* bits;
    short events;
    short also;  // what counts as one of the events
  };

  static Word& word_of(const Set& set, int descriptor) noexcept {
    return reinterpret_cast<Word*>(set.bits)[descriptor / word_bits];
  }
  static Word bit_of(int descriptor) noexcept { return Word{1} << (descriptor % word_bits); }
  static bool is_found(const Set& set, const pollfd& found) noexcept {
    return (found.events & set.events) != 0 && (found.revents & (set.events | set.also)) != 0;
  }

  template <class Function>
  void for_each_selected(Function function) const {
    for (int first = 0; first < limit_; first += word_bits) {
      Word any = 0;
      for (const Set& set : sets_) any |= set.bits != nullptr ? word_of(set, first) : 0;
      for (; any != 0; any &= any - 1) {
        const int descriptor = first + std::countr_zero(any);
        if (descriptor < limit_) function(descriptor);
      }
    }
  }

  short events_for(int descriptor) const noexcept {
    int events = 0;
    for (const Set& set : sets_) {
      if (set.bits != nullptr && (word_of(set, descriptor) & bit_of(descriptor)) != 0) {
        events |= set.events;
      }
    }
    return static_cast<short>(events);
  }

  const int limit_;
  const Set sets_[3];
  std::size_t count_ = 0;
  pollfd few_[most_on_stack];
  std::unique_ptr<pollfd[]> many_;
};

}  // namespace weft::preload
