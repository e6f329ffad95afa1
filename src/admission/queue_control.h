// SPDX-License-Identifier: Apache-2.0
// QueueControl: how many may wait, by who came, who began, and who found CPUs idle. A state machine
// of samples and time; it reads no clock.
//
//   open      --excess, for 20 ms or with 60 ms of work waiting, and the queue stands-->  shedding
//   open      --length, and the queue stands-->  shedding; two may wait
//   shedding  --idle-->                    one half more may wait, or twice as many
//   shedding  --idle enough with fewer-->  a quarter less
//   shedding  --so many may wait that it limits nobody-->  open
//   shedding  --nobody refused for a while, or for a quarter of a second nobody there-->  open
//
// It is quick to take a burst for overload, and a load that comes in bursts would be refused each
// time. So it has been mistaken when it is over within a second, or it finds nobody there, and
// remembers it: it is more patient, and lets more wait, for some seconds. Mistaken again and again,
// it takes the next one for a burst as well, and refuses only what finds the queue full.
//
// What waits when it begins to shed has come too early to be refused, and is in the way of all that
// come after: who has waited for more than twice the target is refused when its turn comes.
//
// Excess is the sum of (offered - 1.3 begun), never below zero ("CUSUM"): at 0.9 times the capacity
// it falls by 0.4 with each that begins, at twice it grows by 0.7. A queue of 40 that took an hour
// to grow is chance; one that took 40 service times is overload. Slower overload is told by length.
//
// Idle is what arriving requests find, in the mean: arrivals that know nothing of each other see
// what a clock would see, so this is the share of the CPUs that is lost.
//
// Low ones may wait where that many do; normal ones where some more do, as many as it takes until
// few of the places that normal ones want go to low ones.
//
// A queue elsewhere cannot be limited, only fed by less: by as much as ends, and less while it
// stands, a twentieth more in each interval while it does not.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

namespace weft::admission {

using std::chrono::nanoseconds;

struct QueueOptions {
  nanoseconds target = std::chrono::milliseconds(5);  // who waits less is not in a standing queue
  nanoseconds patience = std::chrono::milliseconds(20);          // with excess, at first
  nanoseconds most_patience = std::chrono::milliseconds(100);    // of who has been mistaken
  nanoseconds bursts_patience = std::chrono::milliseconds(300);  // of who has been so twice
  nanoseconds longest_wait = std::chrono::seconds(1);  // a queue that stands so long sheds always
  std::uint32_t excess = 40;                           // requests; see above
  // With a part of a CPU each waits for so much longer, and fewer have to say it.
  std::uint32_t least_excess = 24;
  nanoseconds burst = std::chrono::milliseconds(60);        // of work: with excess so much may wait
  nanoseconds most_burst = std::chrono::milliseconds(100);  // of who has been mistaken
  nanoseconds longest_burst = std::chrono::seconds(1);      // what is over sooner was no overload
  nanoseconds remembers = std::chrono::seconds(10);         // that it was mistaken
  std::uint32_t length = 160;  // at 0.9 times the capacity a queue is never that long
  double idle_accepted =
      0.08;  // of one CPU, while requests are refused; of n CPUs, by the root of n
  // Nobody refused for so long ends shedding: at the least, and with this many let in, and at the
  // most.
  nanoseconds calm = std::chrono::milliseconds(300);
  std::uint32_t calm_requests = 100;
  nanoseconds longest_calm = std::chrono::seconds(1);
};

// From one look to the next. Critical requests are not in it.
struct QueueSample {
  std::uint64_t offered = 0;
  std::uint64_t offered_normal = 0;
  std::uint64_t admitted = 0;
  std::uint64_t admitted_low = 0;
  std::uint64_t limited = 0;  // refused because too many waited
  std::uint64_t limited_normal = 0;
  std::uint64_t refused = 0;  // for whatever reason
  std::uint64_t begun = 0;
  std::uint64_t ended = 0;
  std::uint64_t unhindered = 0;                    // begun at once
  double idle = 0;                                 // share of the CPUs, summed over the offered
  nanoseconds shortest_wait = nanoseconds::max();  // of the begun; max(): none began
  std::uint32_t waiting = 0;                       // now
  std::uint32_t in_flight = 0;                     // now
  std::uint32_t cpus = 1;
  double part_of_time = 1;      // that they are ours: a quota of half a core is half of one
  nanoseconds quota_period{0};  // in which that is so; zero: there is no quota
  // Waits in queues that are not ours to limit; max(): none were told.
  nanoseconds shortest_elsewhere = nanoseconds::max();
};

struct QueuePlan {
  static constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();
  bool sheds = false;
  std::uint32_t may_wait = unlimited;
  std::uint32_t low_may_wait = unlimited;
  double share = 0;                       // of all, to refuse besides, for a queue elsewhere
  nanoseconds late = nanoseconds::max();  // who has waited longer is refused when its turn comes
};

class QueueControl {
 public:
  explicit QueueControl(const QueueOptions& options = {}) noexcept : options_(options) {}

  // `now` by any clock that does not go back.
  QueuePlan look(nanoseconds now, const QueueSample& sample) noexcept;

 private:
  // What was seen since `may_wait_` was changed, or the newer half of much.
  struct Window {
    double offered = 0;
    double tried = 0;  // admitted or limited
    double admitted = 0;
    double idle = 0;
    double unhindered = 0;
    void add(const QueueSample& sample) noexcept;
    double idle_share(std::uint32_t cpus) const noexcept;
  };
  // Whether low ones are in the way of normal ones.
  struct Turn {
    nanoseconds since{0};
    std::uint64_t normal = 0;
    std::uint64_t limited_normal = 0;
    std::uint64_t admitted = 0;
    std::uint64_t admitted_low = 0;
  };
  // How often nobody at all was there.
  struct Presence {
    nanoseconds since{0};
    std::uint32_t looks = 0;
    std::uint32_t empty = 0;
  };
  // Grows while more come than go; `since` when it is too large.
  struct Excess {
    double sum = 0;
    nanoseconds since = nanoseconds::max();
    void add(nanoseconds now, double offered, double gone, double threshold) noexcept;
    bool is_much() const noexcept { return since != nanoseconds::max(); }
  };
  struct Elsewhere {
    nanoseconds since{0};
    bool is_told = false;
    nanoseconds shortest{0};
    double offered = 0;
    double ended = 0;
    double offered_rate = 0;
    double ended_rate = 0;
    bool sheds = false;
    double allowed_rate = 0;
    nanoseconds last_shed{0};
  };

  void follow(nanoseconds now, const QueueSample& sample) noexcept;
  bool is_overloaded(nanoseconds now, const QueueSample& sample) const noexcept;
  void begin(nanoseconds now, std::uint32_t cpus) noexcept;
  bool is_often_empty(nanoseconds now, const QueueSample& sample) noexcept;
  void regulate(const QueueSample& sample) noexcept;
  void set_may_wait(std::uint32_t number) noexcept;
  bool is_calm(nanoseconds now, const QueueSample& sample) noexcept;
  bool has_ended(nanoseconds now, const QueueSample& sample) noexcept;
  void reserve(nanoseconds now, const QueueSample& sample) noexcept;
  void feed_elsewhere(nanoseconds now, const QueueSample& sample) noexcept;
  double elsewhere_share() const noexcept;
  double longest() const noexcept;    // queue in the open state
  double burst() const noexcept;      // the same, while there is excess
  double threshold() const noexcept;  // of excess
  double fewest() const noexcept;     // requests that are not there by chance

  QueueOptions options_;
  nanoseconds standing_{0};
  nanoseconds rate_since_{0};
  std::uint64_t rate_begun_ = 0;
  double rate_ =
      0;  // begun a second, lately at the most; of a whole period, where there is a quota
  double part_of_time_ = 1;
  bool has_quota_ = false;
  nanoseconds mean_since_{0};
  std::uint64_t mean_begun_ = 0;
  double mean_rate_ = 1;  // begun a second, in the mean
  Excess excess_;
  nanoseconds mistaken_{0};     // when it last was
  std::uint32_t mistakes_ = 0;  // that it remembers
  bool sheds_ = false;
  nanoseconds began_{0};              // to shed
  nanoseconds last_refused_{0};       // or when it began to shed
  std::uint64_t admitted_since_ = 0;  // then
  std::uint32_t may_wait_ = 1;
  std::uint32_t reserved_ = 0;  // places for normal ones, beyond
  Window window_;
  Turn turn_;
  Presence presence_;
  Excess elsewhere_excess_;
  Elsewhere elsewhere_;
};

}  // namespace weft::admission
