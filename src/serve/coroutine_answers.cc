// SPDX-License-Identifier: Apache-2.0
// How a coroutine has its requests answered: here, after a wait, or by a worker.
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

#include "serve/answering.h"
#include "serve/coroutine_line.h"
#include "serve/output.h"

namespace weft::serve {

Task<void> CoroutineLine::answer() {
  Response response;
  std::exception_ptr thrown;
  bool is_at_once = false;
  std::optional<std::chrono::nanoseconds> time;
  try {
    is_at_once = house_.site.answer_at_once(request(), response);
    if (!is_at_once) time = house_.site.answer_after_wait(request(), response);
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown != nullptr) {
    respond_with(exchange_, house_.counters, is_draining(),
                 [&](Response&) { std::rethrow_exception(thrown); });
  } else if (is_at_once) {
    house_.counters.at_once.add();
    respond(response);
  } else if (time) {
    exchange_.handler_starts();
    co_await keep_back(*time);
    is_abandoned() ? exchange_.give_up() : respond(response);
  } else {
    co_await answer_elsewhere();
  }
}

void CoroutineLine::respond(const Response& response) {
  const Moment moment = thread_moment();
  if (Counters::is_timed(response.status())) {
    house_.counters.took.record(moment.now - exchange_.asked());
  }
  serve::respond(exchange_, house_.counters, is_draining(), response, moment);
}

Task<void> CoroutineLine::keep_back(std::chrono::nanoseconds time) {
  if (is_abandoned()) co_return;
  // The alarm is not needed meanwhile, so the same timer serves.
  rings_ = http::TimePoint::max();
  alarm_.expires_after(time);
  boost::system::error_code error;  // abandoned
  co_await alarm_.async_wait(asio::redirect_error(awaited, error));
}

// The job for the pool: it goes back to the loop by the handler, which resumes the coroutine.
template <class Handler>
class CoroutineLine::Offloaded final : public Job {
 public:
  Offloaded(CoroutineLine& line, Work run, Work refuse, Handler handler)
      : line_(line), run_(run), refuse_(refuse), handler_(std::move(handler)) {}

  void run(const JobTimes&) override {
    (line_.*run_)();
    resume();
  }
  void shed(ShedReason) noexcept override { refuse(); }
  void refuse() noexcept {
    (line_.*refuse_)();
    resume();
  }

 private:
  // Takes no memory that might not be there: the line could not be left where it is.
  void resume() noexcept {
    const std::unique_ptr<Offloaded> own(this);
    const OperationAllocator<std::byte> allocator(line_.way_back_);
    asio::post(asio::bind_allocator(allocator, std::move(handler_)));
  }
  CoroutineLine& line_;
  const Work run_, refuse_;
  Handler handler_;
};

Task<void> CoroutineLine::answer_elsewhere() {
  co_await elsewhere(&CoroutineLine::answer_here, &CoroutineLine::refuse_for_load);
}

// What has begun can not be refused any more: it is tried until there is room.
Task<void> CoroutineLine::go_on() {
  co_await elsewhere(&CoroutineLine::go_on_here, &CoroutineLine::try_again);
  if (is_abandoned()) co_return exchange_.give_up();
  if (std::exchange(must_try_again_, false)) co_await keep_back(time_between_submits);
}

Task<void> CoroutineLine::elsewhere(Work run, Work refuse) {
  is_elsewhere_ = true;
  co_await asio::async_initiate<const asio::use_awaitable_t<LoopExecutor>, void()>(
      [this, run, refuse](auto handler) {
        auto* const job = new Offloaded<decltype(handler)>(*this, run, refuse, std::move(handler));
        if (house_.pool.try_submit(*job) != Submitted::accepted) job->refuse();
      },
      awaited);
  is_elsewhere_ = false;
}

void CoroutineLine::answer_here() noexcept {
  respond_or_give_up([this](Response& response) {
    handler_->run([&] { house_.site.answer(request(), response); });
    if (is_draining()) exchange_.close_soon();
  });
}

// As long as nothing has to be waited for.
void CoroutineLine::go_on_here() noexcept try {
  for (int pieces = most_pieces; pieces != 0; --pieces) {
    go_on_with(exchange_, house_.counters, is_draining());
    if (!exchange_.is_streaming() || send_output(stream_, exchange_) != 0 ||
        exchange_.advance(thread_moment()) != Step::work) {
      return;
    }
  }
} catch (...) {
  exchange_.give_up();  // no memory
}

void CoroutineLine::refuse_for_load() noexcept {
  respond_or_give_up([this](Response& response) {
    serve::refuse_for_load(response, house_.counters, house_.limits.retry_after);
  });
}

template <class Fill>
void CoroutineLine::respond_or_give_up(Fill fill) noexcept {
  try {
    respond_with(exchange_, house_.counters, is_draining(), fill);
  } catch (...) {
    exchange_.give_up();  // there is not even memory for an error
  }
}

}  // namespace weft::serve
