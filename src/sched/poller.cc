// SPDX-License-Identifier: Apache-2.0
// Descriptors by number, their edges and their waiters.
#include "sched/poller.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <asm/errno.h>
#include <mutex>
#include <new>
#include <utility>

#include "os/check.h"
#include "os/memory.h"
#include "os/socket_option.h"
#include "os/system_call.h"
#include "sched/interrupt.h"
#include "sched/park.h"
#include "sched/transfers.h"

namespace weft::sched {
namespace {

constexpr std::uint32_t read_events =
    EPOLLIN | EPOLLRDNORM | EPOLLRDBAND | EPOLLPRI | EPOLLRDHUP | EPOLLHUP | EPOLLERR;
constexpr std::uint32_t write_events = EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND | EPOLLHUP | EPOLLERR;

std::uint32_t events_of(Direction direction) {
  return direction == Direction::read ? read_events : write_events;
}

std::size_t index_of(Direction direction) {
  return static_cast<std::size_t>(direction);
}

fiber::ParkKind kind_of(Direction direction) {
  return direction == Direction::read ? fiber::ParkKind::read : fiber::ParkKind::write;
}

Waited waited_of(long error) {
  switch (error) {
    case -EBADF:
      return Waited::closed;
    case -EPERM:
      return Waited::unpollable;
    default:
      return Waited::no_room;
  }
}

}  // namespace

constinit os::SpinLock Poller::all_lock_;
constinit Poller* Poller::first_ = nullptr;
constinit atomic<std::uint32_t> Poller::epoch_{1};

Poller::Poller(os::Epoll& epoll) noexcept : epoll_(epoll) {
  const std::scoped_lock guard(all_lock_);
  next_ = std::exchange(first_, this);
}

Poller::~Poller() {
  for (os::Backoff backoff;; backoff.pause()) {
    const std::scoped_lock guard(all_lock_);
    if (visitors_ != 0) continue;
    Poller** link = &first_;
    while (*link != this) link = &(*link)->next_;
    *link = next_;
    break;
  }
  for (auto& page : pages_) {
    Entry* const entries = page.load(std::memory_order_relaxed);
    if (entries != nullptr) os::call(SYS_munmap, entries, entries_per_page * sizeof(Entry));
  }
}

Poller::Entry* Poller::existing_entry_of(int descriptor) noexcept {
  const auto number = static_cast<std::size_t>(descriptor);
  if (descriptor < 0 || number / entries_per_page >= most_pages) return nullptr;
  Entry* const page = pages_[number / entries_per_page].load(std::memory_order_acquire);
  return page == nullptr ? nullptr : &page[number % entries_per_page];
}

Poller::Entry* Poller::entry_of(int descriptor) noexcept {
  if (Entry* const entry = existing_entry_of(descriptor)) return entry;
  const auto number = static_cast<std::size_t>(descriptor);
  if (descriptor < 0 || number / entries_per_page >= most_pages) return nullptr;
  constexpr std::size_t bytes = entries_per_page * sizeof(Entry);
  auto* const page = static_cast<Entry*>(os::map_memory(bytes));
  os::check(page != nullptr, "weft: no memory for the table of descriptors");
  for (std::size_t i = 0; i < entries_per_page; ++i) new (&page[i]) Entry;
  Entry* expected = nullptr;
  if (!pages_[number / entries_per_page].compare_exchange_strong(expected, page)) {
    os::call(SYS_munmap, page, bytes);  // another was faster
    return &expected[number % entries_per_page];
  }
  return &page[number % entries_per_page];
}

template <class Function>
void Poller::for_each(Function function) noexcept {
  std::unique_lock guard(all_lock_);
  for (Poller* poller = first_; poller != nullptr;) {
    ++poller->visitors_;  // so that the lock is not held in system calls
    guard.unlock();
    if (poller->process_.is_here()) function(*poller);
    guard.lock();
    --poller->visitors_;
    poller = poller->next_;
  }
}

void Poller::begin_close_everywhere(int descriptor) noexcept {
  for_each([descriptor](Poller& poller) { poller.begin_close(descriptor); });
}

void Poller::end_close_everywhere(int descriptor) noexcept {
  for_each([descriptor](Poller& poller) { poller.end_close(descriptor); });
}

bool Poller::knows(int descriptor) noexcept {
  Entry* const entry = existing_entry_of(descriptor);
  if (entry == nullptr) return false;
  const std::scoped_lock guard(entry->lock);
  bool knows =
      entry->registered || entry->unpollable || entry->off_disk.load(std::memory_order_relaxed);
  for (auto& patient : entry->patient) knows |= patient.load(std::memory_order_relaxed) != 0;
  return knows;
}

void Poller::renew_everywhere(int descriptor) noexcept {
  for_each([descriptor](Poller& poller) {
    if (poller.knows(descriptor)) poller.begin_close(descriptor);
  });
}

void Poller::stir(int descriptor) noexcept {
  Entry* const entry = existing_entry_of(descriptor);
  if (entry == nullptr) return;
  const std::scoped_lock guard(entry->lock);
  for (const Direction direction : {Direction::read, Direction::write}) {
    count_edge(*entry, direction);
  }
  PollWaiter* next = nullptr;
  for (PollWaiter* waiter = entry->waiters; waiter != nullptr; waiter = next) {
    next = waiter->next;
    wake_one(*entry, *waiter, 0, PollWaiter::woken);  // no event: each asks for itself
  }
}

bool Poller::is_file_on_disk(int descriptor) noexcept {
  Entry* const entry = entry_of(descriptor);
  if (entry == nullptr) return is_on_disk(descriptor);
  if (entry->off_disk.load(std::memory_order_relaxed)) return false;
  const std::uint32_t generation = entry->generation.load(std::memory_order_acquire);
  if (is_on_disk(descriptor)) return true;
  const std::scoped_lock guard(entry->lock);
  if (entry->generation.load(std::memory_order_relaxed) == generation) {
    entry->off_disk.store(true, std::memory_order_relaxed);
  }
  return false;
}

void Poller::layered(int descriptor) noexcept {
  Entry* const entry = existing_entry_of(descriptor);
  if (entry == nullptr) return;
  const std::scoped_lock guard(entry->lock);
  entry->stream.store(Stream::none, std::memory_order_relaxed);
  entry->drained.store(0, std::memory_order_relaxed);
}

void Poller::layered_everywhere(int descriptor) noexcept {
  for_each([descriptor](Poller& poller) { poller.layered(descriptor); });
}

void Poller::stir_everywhere(int descriptor) noexcept {
  for_each([descriptor](Poller& poller) { poller.stir(descriptor); });
}

Edge Poller::look(int descriptor, Direction direction) noexcept {
  Entry* const entry = existing_entry_of(descriptor);
  if (entry == nullptr) return {.count = 1};
  const std::size_t index = index_of(direction);
  const std::uint32_t generation = entry->generation.load(std::memory_order_acquire);
  // Pairs with deliver(): the edge is counted before the waiter is woken, so before it looks.
  const std::uint32_t count = entry->edges[index].load(std::memory_order_acquire);
  const bool drained =
      direction == Direction::read && entry->drained.load(std::memory_order_relaxed) == count;
  // 0 is no epoch before this counter has gone around.
  const bool patient = entry->patient[index].load(std::memory_order_relaxed) == epoch();
  const bool tcp = entry->stream.load(std::memory_order_relaxed) == Stream::tcp;
  return {
      .count = count, .generation = generation, .drained = drained, .tcp = tcp, .patient = patient};
}

Edge Poller::look_both(int descriptor) noexcept {
  const Edge read = look(descriptor, Direction::read);
  const Edge write = look(descriptor, Direction::write);
  return {
      .count = read.count + write.count, .generation = read.generation, .drained = read.drained};
}

void Poller::drained(int descriptor, const Edge& before, ReadBy how) noexcept {
  Entry* const entry = existing_entry_of(descriptor);
  if (entry == nullptr) return;
  const std::scoped_lock guard(entry->lock);
  const Stream stream = entry->stream.load(std::memory_order_relaxed);
  const bool tells =
      stream == Stream::tcp || (stream == Stream::unix_domain && how == ReadBy::message);
  if (!entry->registered || !tells || entry->ended ||
      entry->generation.load(std::memory_order_relaxed) != before.generation) {
    return;  // no edge would tell us of the end of it, or less is no sign of it
  }
  entry->drained.store(before.count, std::memory_order_relaxed);
}

void Poller::patient(int descriptor, Direction direction, const Edge& before,
                     std::uint32_t epoch) noexcept {
  Entry* const entry = entry_of(descriptor);
  if (entry == nullptr) return;
  const std::scoped_lock guard(entry->lock);
  if (entry->generation.load(std::memory_order_relaxed) != before.generation) return;
  entry->patient[index_of(direction)].store(epoch, std::memory_order_relaxed);
}

Waited Poller::wait(int descriptor, Direction direction, const Edge& before,
                    os::Instant deadline) noexcept {
  PollWaiter waiter;
  waiter.fiber = &fiber::self();
  Entry* const entry = entry_of(descriptor);
  if (entry == nullptr) return Waited::no_room;
  {
    const std::scoped_lock guard(entry->lock);
    if (entry->generation.load(std::memory_order_relaxed) != before.generation) {
      return Waited::closed;
    }
    if (entry->edges[index_of(direction)].load(std::memory_order_relaxed) != before.count) {
      return Waited::ready;
    }
    const long error = enrol(descriptor, *entry, events_of(direction));
    if (error != 0) return waited_of(error);
    waiter.events = events_of(direction);
    waiter.takes = true;
    link(*entry, waiter);
  }
  // The number alone says what is waited for; a debugger shows it as an address.
  const auto* const object = reinterpret_cast<const void*>(static_cast<std::intptr_t>(descriptor));
  while (waiter.state.load(std::memory_order_acquire) == PollWaiter::waiting &&
         !is_interrupted(*waiter.fiber) &&
         (deadline == os::never || os::MonotonicClock::now() < deadline)) {
    park(kind_of(direction), object, deadline);
  }
  if (waiter.state.load(std::memory_order_acquire) == PollWaiter::waiting) {
    unsubscribe(descriptor, waiter);
  }
  switch (waiter.state.load(std::memory_order_acquire)) {
    case PollWaiter::woken:
      return Waited::ready;
    case PollWaiter::was_closed:
      return Waited::closed;
    default:
      return is_interrupted(*waiter.fiber) ? Waited::interrupted : Waited::timed_out;
  }
}

Waited Poller::subscribe(int descriptor, PollWaiter& waiter, std::uint32_t events,
                         const Edge& before) noexcept {
  Entry* const entry = entry_of(descriptor);
  if (entry == nullptr) return Waited::no_room;
  const std::scoped_lock guard(entry->lock);
  if (entry->generation.load(std::memory_order_relaxed) != before.generation) {
    return Waited::closed;
  }
  const std::uint32_t count = entry->edges[0].load(std::memory_order_relaxed) +
                              entry->edges[1].load(std::memory_order_relaxed);
  if (count != before.count) return Waited::ready;
  const long error = enrol(descriptor, *entry, events);
  if (error != 0) return waited_of(error);
  waiter.events = events | EPOLLHUP | EPOLLERR;
  link(*entry, waiter);
  return Waited::timed_out;
}

void Poller::unsubscribe(int descriptor, PollWaiter& waiter) noexcept {
  Entry* const entry = existing_entry_of(descriptor);
  if (entry == nullptr) return;
  const std::scoped_lock guard(entry->lock);
  if (waiter.linked) unlink(*entry, waiter);
}

std::optional<std::uint32_t> Poller::begin_taking(int descriptor) noexcept {
  Entry* const entry = entry_of(descriptor);
  if (entry == nullptr) return 0;
  const std::scoped_lock guard(entry->lock);
  if (std::exchange(entry->accepting, true)) return std::nullopt;
  return entry->generation.load(std::memory_order_relaxed);
}

void Poller::end_taking(int descriptor, std::uint32_t generation, bool taken) noexcept {
  Entry* const entry = existing_entry_of(descriptor);
  if (entry == nullptr) return;
  const std::scoped_lock guard(entry->lock);
  // Another takes from the file that has the number now, and the close has told the others.
  if (entry->generation.load(std::memory_order_relaxed) != generation) return;
  entry->accepting = false;
  if (!taken) return;
  // Also where nobody waits yet: who was refused above is on the way to it.
  count_edge(*entry, Direction::read);
  wake_for_taking(*entry);
}

void Poller::count_edge(Entry& entry, Direction direction) noexcept {
  auto& edges = entry.edges[index_of(direction)];
  const std::uint32_t next = edges.load(std::memory_order_relaxed) + 1;
  edges.store(next == 0 ? 1 : next, std::memory_order_release);  // 0 would match `never drained`
}

std::uint64_t Poller::data_of(int descriptor, const Entry& entry) noexcept {
  const std::uint64_t generation = entry.generation.load(std::memory_order_relaxed);
  return generation << 32 | static_cast<std::uint32_t>(descriptor);
}

long Poller::enrol(int descriptor, Entry& entry, std::uint32_t events) noexcept {
  const bool writes = (events & (EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND)) != 0;
  if (entry.registered && (entry.watches_writing || !writes)) return 0;
  if (entry.unpollable) return -EPERM;
  entry.watches_writing = writes;
  const std::uint64_t data = data_of(descriptor, entry);
  if (entry.registered && epoll_.confirm(descriptor, watched(entry), data)) return 0;
  long error = epoll_.add(descriptor, watched(entry), data);
  if (error == -EEXIST) {
    // The number was freed behind our back, and names a file that we have under it already.
    epoll_.remove(descriptor);
    error = epoll_.add(descriptor, watched(entry), data);
  }
  entry.stream.store(error == 0 ? stream_of(descriptor) : Stream::none, std::memory_order_relaxed);
  entry.ended = false;
  entry.registered = error == 0;
  entry.unpollable = error == -EPERM;
  return error;
}

std::uint32_t Poller::watched(const Entry& entry) noexcept {
  return read_events | (entry.watches_writing ? write_events : 0) | EPOLLET;
}

Poller::Stream Poller::stream_of(int descriptor) noexcept {
  if (os::socket_option(descriptor, SO_PROTOCOL) == IPPROTO_TCP) {
    return os::has_layer(descriptor) ? Stream::none : Stream::tcp;
  }
  const bool is_stream = os::socket_option(descriptor, SO_TYPE) == SOCK_STREAM;
  const bool is_unix = is_stream && os::socket_option(descriptor, SO_DOMAIN) == AF_UNIX;
  return is_unix ? Stream::unix_domain : Stream::none;
}

void Poller::begin_close(int descriptor) noexcept {
  Entry* entry = existing_entry_of(descriptor);
  // Somebody may have looked, and not waited yet. But not at a number that names nothing: some
  // programs close all there could be.
  if (entry == nullptr && os::call(SYS_fcntl, descriptor, F_GETFD) >= 0) {
    entry = entry_of(descriptor);
  }
  if (entry == nullptr) return;
  const std::scoped_lock guard(entry->lock);
  // While the number still names the old file; later it could not be named any more, and would stay
  // registered for as long as any duplicate of it lives.
  if (entry->registered) epoll_.remove(descriptor);
  entry->registered = false;
  entry->unpollable = false;
  entry->accepting = false;
  entry->generation.store(entry->generation.load(std::memory_order_relaxed) + 1,
                          std::memory_order_release);
  entry->drained.store(0, std::memory_order_relaxed);
  entry->off_disk.store(false, std::memory_order_relaxed);
  for (auto& patient : entry->patient) patient.store(0, std::memory_order_relaxed);
  wake(*entry, ~std::uint32_t{0}, PollWaiter::was_closed);
}

void Poller::end_close(int descriptor) noexcept {
  Entry* const entry = existing_entry_of(descriptor);
  if (entry == nullptr) return;
  const std::scoped_lock guard(entry->lock);
  if (!entry->registered ||
      epoll_.confirm(descriptor, watched(*entry), data_of(descriptor, *entry))) {
    return;
  }
  entry->registered = false;
  for (const Direction direction : {Direction::read, Direction::write}) {
    count_edge(*entry, direction);
  }
  wake(*entry, ~std::uint32_t{0}, PollWaiter::woken);
}

void Poller::deliver(const os::Epoll::Event* events, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const auto descriptor = static_cast<int>(events[i].data & 0xffff'ffff);
    const auto generation = static_cast<std::uint32_t>(events[i].data >> 32);
    Entry* const entry = existing_entry_of(descriptor);
    if (entry == nullptr) continue;
    const std::scoped_lock guard(entry->lock);
    if (!entry->registered || entry->generation.load(std::memory_order_relaxed) != generation) {
      continue;  // of a file that had this number before
    }
    if ((events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) entry->ended = true;
    if ((events[i].events & EPOLLPRI) != 0)
      entry->stream.store(Stream::none, std::memory_order_relaxed);  // reads stop at urgent data
    for (const Direction direction : {Direction::read, Direction::write}) {
      if ((events[i].events & events_of(direction)) != 0) count_edge(*entry, direction);
    }
    wake(*entry, events[i].events, PollWaiter::woken);
  }
}

void Poller::wake(Entry& entry, std::uint32_t events, std::uint32_t state) noexcept {
  PollWaiter* next = nullptr;
  for (PollWaiter* waiter = entry.waiters; waiter != nullptr; waiter = next) {
    next = waiter->next;
    if ((waiter->events & events) != 0) wake_one(entry, *waiter, events, state);
  }
}

void Poller::wake_for_taking(Entry& entry) noexcept {
  PollWaiter* next = nullptr;
  bool one_takes = false;
  for (PollWaiter* waiter = entry.waiters; waiter != nullptr; waiter = next) {
    next = waiter->next;
    if ((waiter->events & EPOLLIN) == 0 || (waiter->takes && one_takes)) continue;
    one_takes |= waiter->takes;
    wake_one(entry, *waiter, EPOLLIN, PollWaiter::woken);
  }
}

void Poller::wake_one(Entry& entry, PollWaiter& waiter, std::uint32_t events,
                      std::uint32_t state) noexcept {
  unlink(entry, waiter);
  waiter.seen = events & waiter.events;
  fiber::Fiber& fiber = *waiter.fiber;
  waiter.state.store(state, std::memory_order_release);  // it may be gone from here on
  unpark(fiber);
}

void Poller::link(Entry& entry, PollWaiter& waiter) noexcept {
  waiter.linked = true;
  waiter.previous = nullptr;
  waiter.next = entry.waiters;
  if (entry.waiters != nullptr) entry.waiters->previous = &waiter;
  entry.waiters = &waiter;
}

void Poller::unlink(Entry& entry, PollWaiter& waiter) noexcept {
  waiter.linked = false;
  (waiter.previous == nullptr ? entry.waiters : waiter.previous->next) = waiter.next;
  if (waiter.next != nullptr) waiter.next->previous = waiter.previous;
}

}  // namespace weft::sched
