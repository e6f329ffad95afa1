// SPDX-License-Identifier: Apache-2.0
// A coroutine's strand becomes the current one, and goes.
#include <weft/context_executor.h>

#include <boost/asio/strand.hpp>

#include "context/strand.h"

namespace weft {
namespace coroutine {

Home::Home() : strand_(std::make_unique<context::Strand>(context::visible())) {}
Home::~Home() = default;

void Home::restart(context::Reference context) noexcept {
  strand_->restart(std::move(context));
}

Home::Visit::Visit(Home& home) noexcept : previous_(context::enter(home.strand_.get())) {}
Home::Visit::~Visit() {
  context::enter(previous_);
}

}  // namespace coroutine

ContextExecutor ContextExecutor::on(boost::asio::any_io_executor inner) {
  return {std::move(inner), std::make_shared<coroutine::Home>()};
}

boost::asio::any_io_executor ContextExecutor::below(const boost::asio::any_io_executor& executor) {
  using Strand = boost::asio::strand<boost::asio::any_io_executor>;
  if (const auto* const own = executor.target<ContextExecutor>()) return below(own->inner_);
  if (const auto* const strand = executor.target<Strand>())
    return below(strand->get_inner_executor());
  return executor;
}

}  // namespace weft
