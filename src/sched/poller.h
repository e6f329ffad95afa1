// SPDX-License-Identifier: Apache-2.0
// Poller: which descriptors are ready, who waits for them, and what is known without asking.
//
// A descriptor is registered with epoll the first time somebody has to wait for it: edge-triggered,
// for reading, and from the first wait for writing on for both, as a socket of AF_UNIX would report
// every message that its peer takes. Whoever comes first to wait for a direction is told what it is
// ready for then. From then on each edge is counted. Whoever wants to read or write looks at the
// count, tries the call, and where it would block waits for the count to change:
//
//   Edge before = poller.look(fd, Direction::read);
//   if (!before.drained) result = recv(fd, …, MSG_DONTWAIT);           // may be EAGAIN
//   poller.wait(fd, Direction::read, before, deadline);                // then try again
//
// An edge that arrives after look() makes wait() return at once, so none is lost. A read from a
// stream that got less than it asked for has drained the descriptor: drained() remembers it
// together with the count, and until the next edge no call is tried that would only say EAGAIN. The
// edge is a hint, never the truth: after a wake-up the call is tried again, and may wait again
// (another thread, or another process that shares the socket, was faster).
//
// Likewise patient() remembers that a file is one to be waited for (no O_NONBLOCK), without a
// time-out of its own (SO_RCVTIMEO), so that it is not asked before each wait; until the limits of
// any file are changed through us (limits_changed()).
//
// Life of a number
//   unused      --first wait: epoll takes it-->             registered
//   unused      --first wait: epoll refuses it-->           unpollable    (files: they never block)
//   any         --begin_close()-->                          unused, with the next generation
// Whatever frees or replaces a number (close, dup2, close_range) stands between begin_close() and
// end_close(), of every poller in the process: numbers are the process's, and who frees one may be
// no fiber. The generation travels with the registration: an event of the file that had the number
// before is told apart, and a call that keeps to the generation of its first look never acts on the
// file that has it after. Between the two the number may name the old file or already a new one,
// which another thread has just been given (an accept: the common case), and both may be waited
// for. What was registered in between is therefore looked at in end_close(): if it was the old
// file, it is registered anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/atomic.h"
#include "fiber/fiber.h"
#include "os/clock.h"
#include "os/epoll.h"
#include "os/process_mark.h"
#include "os/spin_lock.h"

namespace weft::sched {

enum class Direction : std::uint8_t { read, write };

// What was known of a descriptor at some moment.
struct Edge {
  std::uint32_t count = 0;
  std::uint32_t generation = 0;
  bool drained = false;  // a call would only say EAGAIN
  bool tcp = false;      // it is known to be a stream that reads short only where it is drained
  bool patient = false;  // who would block waits, for as long as it takes
};

// How a stream was read from. A message of AF_UNIX tells whether it ends because descriptors or
// credentials came along, which read(2) does not.
enum class ReadBy : std::uint8_t { call, message };

enum class Waited : std::uint8_t {
  ready,  // try again
  timed_out,
  interrupted,  // see interrupt.h
  closed,       // the descriptor was closed or replaced: EBADF
  unpollable,   // epoll does not take it: the call itself must block
  no_room,      // epoll has no room for it, or we have none: the call must be made at home
};

// A waiter for one descriptor, on the waiter's stack; guarded by the descriptor's lock, but for
// state.
struct PollWaiter {
  static constexpr std::uint32_t waiting = 0;
  static constexpr std::uint32_t woken = 1;
  static constexpr std::uint32_t was_closed = 2;

  fiber::Fiber* fiber = nullptr;
  std::uint32_t events = 0;  // EPOLL* that it is interested in
  atomic<std::uint32_t> state{waiting};
  std::uint32_t seen = 0;  // EPOLL* that woke it; written before state
  bool linked = false;
  bool takes = false;  // what is there once it is woken; or it only tells somebody who might
  PollWaiter* next = nullptr;
  PollWaiter* previous = nullptr;
};

class Poller {
 public:
  explicit Poller(os::Epoll& epoll) noexcept;
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  Edge look(int descriptor, Direction direction) noexcept;
  // A read got less than it asked for, and knows of no reason but that there is no more.
  void drained(int descriptor, const Edge& before, ReadBy how) noexcept;
  // The file said, after epoch(), that it may be waited for without limits.
  void patient(int descriptor, Direction direction, const Edge& before,
               std::uint32_t epoch) noexcept;
  static std::uint32_t epoch() noexcept { return epoch_.load(std::memory_order_acquire); }
  // O_NONBLOCK or a time-out has been set: anywhere, as other numbers may name the same file.
  static void limits_changed() noexcept { epoch_.fetch_add(1, std::memory_order_acq_rel); }
  Waited wait(int descriptor, Direction direction, const Edge& before,
              os::Instant deadline) noexcept;

  // A descriptor whose call cannot be told not to block (accept) is asked whether it is ready
  // first, and between the two nobody else may take what is there. Nothing: somebody is at it;
  // wait(). Otherwise the generation, for end_taking().
  std::optional<std::uint32_t> begin_taking(int descriptor) noexcept;
  // If something was taken there may be more, and the next one tries, who passes it on in turn:
  // whoever waits to take tries after it is woken, even at its deadline.
  void end_taking(int descriptor, std::uint32_t generation, bool taken) noexcept;

  // For waiting on many at once: the waiter hears of any edge since `before`, until unsubscribe().
  // ready: there was one already, and the waiter is not linked.
  Waited subscribe(int descriptor, PollWaiter& waiter, std::uint32_t events,
                   const Edge& before) noexcept;
  void unsubscribe(int descriptor, PollWaiter& waiter) noexcept;
  // A count that changes with edges of either direction.
  Edge look_both(int descriptor) noexcept;

  void begin_close(int descriptor) noexcept;
  void end_close(int descriptor) noexcept;
  // The same for every poller of this process.
  static void begin_close_everywhere(int descriptor) noexcept;
  static void end_close_everywhere(int descriptor) noexcept;
  // The number is new to the program. What is known of it is forgotten, if libc or somebody else
  // has closed the file that had it before without telling.
  static void renew_everywhere(int descriptor) noexcept;
  // Something was done to the file that epoll may not report, and whoever waits for it must see.
  static void stir_everywhere(int descriptor) noexcept;
  // As is_on_disk(), which is asked once for a file that is not.
  bool is_file_on_disk(int descriptor) noexcept;
  // A layer was put on the stream (kTLS): a short read no longer means that nothing is left.
  static void layered_everywhere(int descriptor) noexcept;
  // Around a fork, so that the child finds the list of pollers whole.
  static void lock_all() noexcept { all_lock_.lock(); }
  static void unlock_all() noexcept { all_lock_.unlock(); }

  // Tells waiters what epoll has reported.
  void deliver(const os::Epoll::Event* events, std::size_t count) noexcept;

 private:
  // Where a short read means that nothing is left.
  enum class Stream : std::uint8_t { none, tcp, unix_domain };
  struct Entry {
    os::SpinLock lock;
    atomic<std::uint32_t> generation{0};   // written under the lock
    atomic<std::uint32_t> edges[2]{1, 1};  // by Direction; written under the lock
    atomic<std::uint32_t> drained{0};      // the count at which nothing was left to read
    atomic<std::uint32_t> patient[2]{};    // the epoch in which there were no limits; 0: not known
    atomic<Stream> stream{Stream::none};   // written under the lock
    atomic<bool> off_disk{false};          // known not to be a file of a disk
    bool registered = false;               // guarded by lock, as the rest
    bool watches_writing = false;
    bool unpollable = false;
    bool ended = false;  // but the end, which may have come with the last bytes, by one edge
    bool accepting = false;
    PollWaiter* waiters = nullptr;
  };
  static constexpr std::size_t entries_per_page = 1024;
  static constexpr std::size_t most_pages = 4096;

  // nullptr: the number is beyond what the table holds.
  Entry* entry_of(int descriptor) noexcept;
  Entry* existing_entry_of(int descriptor) noexcept;
  // Whether anything is known of the file that the number names.
  bool knows(int descriptor) noexcept;
  void stir(int descriptor) noexcept;
  void layered(int descriptor) noexcept;
  // Sees to it that edges of these events are reported. The lock is held. 0, or minus errno.
  long enrol(int descriptor, Entry& entry, std::uint32_t events) noexcept;
  // The lock is held, as for the rest.
  static std::uint32_t watched(const Entry& entry) noexcept;
  static Stream stream_of(int descriptor) noexcept;
  static std::uint64_t data_of(int descriptor, const Entry& entry) noexcept;
  static void count_edge(Entry& entry, Direction direction) noexcept;
  static void link(Entry& entry, PollWaiter& waiter) noexcept;
  static void unlink(Entry& entry, PollWaiter& waiter) noexcept;
  static void wake(Entry& entry, std::uint32_t events, std::uint32_t state) noexcept;
  static void wake_for_taking(Entry& entry) noexcept;
  static void wake_one(Entry& entry, PollWaiter& waiter, std::uint32_t events,
                       std::uint32_t state) noexcept;

  // Calls it with every poller of this process, none of which goes meanwhile.
  template <class Function>
  static void for_each(Function function) noexcept;

  static os::SpinLock all_lock_;
  static Poller* first_;  // guarded by all_lock_, as next_ and visitors_
  static atomic<std::uint32_t> epoch_;

  os::Epoll& epoll_;
  Poller* next_ = nullptr;
  std::uint32_t visitors_ = 0;  // who are in for_each(); it stays until they are gone
  os::ProcessMark process_;     // a child shares epoll with its parent, and leaves it alone
  atomic<Entry*> pages_[most_pages] = {};
};

}  // namespace weft::sched
