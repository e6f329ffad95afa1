// SPDX-License-Identifier: Apache-2.0
// Threads, coroutines and fibers; Boost.Fiber has a file of its own.
#include "model.h"

#include <weft/fibers.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>

#include "boost_fibers.h"

namespace links {
namespace {

class Threads final : public Model {
 public:
  explicit Threads(weft::Pool& pool) noexcept : pool_(pool) {}
  void begin(Work work, Done done) override { run_on(pool_, std::move(work), std::move(done)); }
  bool is_direct() const noexcept override { return true; }

 private:
  weft::Pool& pool_;
};

class Coroutines final : public Model {
 public:
  Coroutines(weft::Coroutines& coroutines, weft::Pool& pool) noexcept
      : coroutines_(coroutines), pool_(pool) {}
  void begin(Work work, Done done) override {
    weft::spawn(coroutines_.executor(), handed_over(std::move(work)), weft::cancellation(),
                std::move(done));
  }

 private:
  boost::asio::awaitable<void> handed_over(Work work) {
    co_await weft::offload(pool_, [own = std::move(work)] { own(); });
  }
  weft::Coroutines& coroutines_;
  weft::Pool& pool_;
};

class Fibers final : public Model {
 public:
  ~Fibers() override { end(); }
  void end() final {
    std::map<std::uint64_t, weft::Fiber> last;
    {
      const std::scoped_lock lock(mutex_);
      last.swap(running_);
      finished_.clear();
    }
    last.clear();  // joined
  }

  void begin(Work work, Done done) override {
    const std::vector<weft::Fiber> over = take_finished();  // joined here, when they go
    std::uint64_t number = 0;
    const std::scoped_lock lock(mutex_);
    number = ++last_;
    try {
      running_.emplace(number, fibers_.spawn([this, number, work = std::move(work), done] {
        weft::this_fiber::at_home([&] { perform(number, work, done); });
      }));
    } catch (const std::exception&) {  // the system has no thread left
      done(std::make_exception_ptr(weft::Cancelled(weft::CancelReason::overload)));
    }
  }

 private:
  void perform(std::uint64_t number, const Work& work, const Done& done) {
    std::exception_ptr thrown;
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
    {
      const std::scoped_lock lock(mutex_);
      if (running_.contains(number)) finished_.push_back(number);
    }
    done(std::move(thrown));
  }

  std::vector<weft::Fiber> take_finished() {
    std::vector<weft::Fiber> over;
    const std::scoped_lock lock(mutex_);
    for (const std::uint64_t number : std::exchange(finished_, {})) {
      over.push_back(std::move(running_.extract(number).mapped()));
    }
    return over;
  }

  weft::Fibers fibers_;
  std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, weft::Fiber> running_;
  std::vector<std::uint64_t> finished_;  // of running_
};

// A job of the pool that tells how it went, whatever becomes of it.
class Errand final : public weft::Job {
 public:
  Errand(Model::Work work, Model::Done done) : work_(std::move(work)), done_(std::move(done)) {}
  void run(const weft::JobTimes&) override {
    std::exception_ptr thrown;
    try {
      work_();
    } catch (...) {
      thrown = std::current_exception();
    }
    end(std::move(thrown));
  }
  void shed(weft::ShedReason) noexcept override { refuse(weft::CancelReason::overload); }
  void refuse(weft::CancelReason reason) noexcept {
    end(std::make_exception_ptr(weft::Cancelled(reason)));
  }

 private:
  void end(std::exception_ptr thrown) noexcept {
    const std::unique_ptr<Errand> own(this);
    done_(std::move(thrown));
  }
  Model::Work work_;
  Model::Done done_;
};

}  // namespace

void run_on(weft::Pool& pool, Model::Work work, Model::Done done) {
  auto errand = std::make_unique<Errand>(std::move(work), std::move(done));
  const weft::Submitted submitted = pool.try_submit(*errand);
  Errand* const own = errand.release();  // the pool's, or its own
  if (submitted == weft::Submitted::accepted) return;
  own->refuse(submitted == weft::Submitted::full ? weft::CancelReason::overload
                                                 : weft::CancelReason::shutdown);
}

std::vector<std::string> model_names() {
  std::vector<std::string> names{"threads", "coroutines", "fibers"};
  if (has_boost_fibers()) names.emplace_back("boost-fiber");
  return names;
}

std::unique_ptr<Model> make_model(const std::string& name, weft::Pool& pool,
                                  const std::function<weft::Coroutines&()>& coroutines) {
  if (name == "threads") return std::make_unique<Threads>(pool);
  if (name == "coroutines") return std::make_unique<Coroutines>(coroutines(), pool);
  if (name == "fibers") return std::make_unique<Fibers>();
  if (name == "boost-fiber") return make_boost_fibers(pool);
  throw std::invalid_argument("there is no model '" + name + "'");
}

}  // namespace links
