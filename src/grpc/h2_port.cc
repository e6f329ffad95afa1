// SPDX-License-Identifier: Apache-2.0
// The connections of a worker: who is let in, who has something to say, and how they end.
#include "grpc/h2_port.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "grpc/worker.h"

namespace weft::grpc {
namespace {

constexpr std::size_t input_bytes = 64 << 10;
constexpr int most_accepted = 16;  // in a round
constexpr auto time_without_accepting = std::chrono::milliseconds(50);
// Streams beyond this number are given back: a burst does not keep its memory.
constexpr std::size_t most_free_streams = 256;
constexpr int most_trimmed = 16;  // in a round
constexpr std::size_t most_kept_output_bytes = 512 << 10;

}  // namespace

H2Port::H2Port(Worker& worker, EpollPoller& poller)
    : worker_(worker), poller_(poller), input_(input_bytes) {
  const Site& site = worker.site();
  for (std::size_t i = 0; i < site.methods.size(); ++i) {
    lines_.emplace(site.methods[i]->name(), static_cast<std::int32_t>(i));
  }
  doors_.reserve(site.listeners.size());
  for (const os::Descriptor& listener : site.listeners) doors_.emplace_back(*this, listener.get());
  poller_.follow(this);
}

H2Port::~H2Port() {
  poller_.follow(nullptr);
}

std::int32_t H2Port::line_of(std::string_view path) const noexcept {
  const auto found = lines_.find(path);
  return found == lines_.end() ? -1 : found->second;
}

bool H2Port::takes_one_message(std::int32_t line) const noexcept {
  return worker_.site().methods[static_cast<std::size_t>(line)]->takes_one_message();
}

H2Stream& H2Port::make_stream() {
  if (free_.empty()) {
    streams_.push_back(std::make_unique<H2Stream>(*this));
    return *streams_.back();
  }
  H2Stream& stream = *free_.back();
  free_.pop_back();
  return stream;
}

void H2Port::free(H2Stream& stream) noexcept {
  free_.push_back(&stream);
}

bool H2Port::keep(std::size_t bytes) noexcept {
  kept_bytes_ += bytes;
  return kept_bytes_ <= worker_.site().most_kept_bytes;
}

void H2Port::watch_doors() noexcept {
  if (std::exchange(is_open_, true)) return;
  for (Door& door : doors_) poller_.watch(door.listener, EPOLLIN | EPOLLEXCLUSIVE, door);
}

void H2Port::forget_doors() noexcept {
  if (!std::exchange(is_open_, false)) return;
  for (const Door& door : doors_) poller_.forget(door.listener);
}

void H2Port::open() {
  drains_ = false;
  watch_doors();
}

void H2Port::accept_some(int listener) {
  for (int i = 0; i < most_accepted && is_open_; ++i) {
    if (auto accepted = net::accept_connection(listener)) {
      worker_.site().give(std::move(*accepted));
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != ECONNABORTED && errno != EINTR) {
      // No number is left, or no memory: the listener would stay ready.
      forget_doors();
      poller_.set(*this, poller_.now() + time_without_accepting);
    }
  }
}

void H2Port::expire() {
  if (!drains_) watch_doors();
}

void H2Port::take(net::Accepted accepted) {
  H2Connection* connection = nullptr;
  try {
    connection = new H2Connection(*this, std::move(accepted));
  } catch (const std::bad_alloc&) {  // it is closed
    return begins_to_drain();
  }
  worker_.queue().add_work(1);
  connection->next = first_;
  if (first_ != nullptr) first_->previous = connection;
  first_ = connection;
  if (drains_) connection->drain();
  connection->on_ready(EPOLLIN);  // the first request often comes along
  wants_to_write(*connection);
}

void H2Port::begins_to_drain() noexcept {
  connections_.fetch_sub(1, std::memory_order_relaxed);
}

void H2Port::closed(H2Connection& connection) {
  (connection.previous != nullptr ? connection.previous->next : first_) = connection.next;
  if (connection.next != nullptr) connection.next->previous = connection.previous;
  closed_.emplace_back(&connection);
  worker_.queue().add_work(-1);
}

void H2Port::drain() {
  drains_ = true;
  forget_doors();
  poller_.cancel(*this);
  for (H2Connection* each = first_; each != nullptr; each = each->next) each->drain();
}

void H2Port::drain_beyond(std::uint32_t connections) {
  std::uint32_t serving = 0;
  for (H2Connection* each = first_; each != nullptr; each = each->next) {
    if (!each->drains() && ++serving > connections) each->drain();
  }
}

void H2Port::refuse_unbegun() {
  for (H2Connection* each = first_; each != nullptr; each = each->next) each->refuse_unbegun();
}

void H2Port::cut() {
  while (first_ != nullptr) first_->close();
}

void H2Port::wants_to_write(H2Connection& connection) {
  if (std::exchange(connection.is_dirty, true)) return;
  dirty_.push_back(&connection);
}

bool H2Port::finish_round() {
  std::swap(dirty_, being_sent_);
  for (H2Connection* const connection : being_sent_) {
    connection->is_dirty = false;
    connection->flush();
  }
  being_sent_.clear();
  // Those that are dirty are still named by that list.
  std::erase_if(closed_, [](const auto& connection) { return !connection->is_dirty; });
  if (output_.capacity() > most_kept_output_bytes) output_ = std::string();
  for (int i = 0; i < most_trimmed && free_.size() > most_free_streams; ++i) {
    if (!streams_.back()->is_free() || streams_.back()->is_posted()) break;
    std::erase(free_, streams_.back().get());
    streams_.pop_back();
  }
  return !dirty_.empty();
}

}  // namespace weft::grpc
