// SPDX-License-Identifier: Apache-2.0
// Fuzzed: links over HTTP, from bytes on a connection to bytes on a connection, through the
// session, the router, the handlers and SQLite; without sockets and threads. Each answer is the one
// that the contract has for the request, and nothing is stored but what was acknowledged.
#include "links/http_oracle.h"
#include "links/records.h"
#include "links/request_text.h"
#include "property.h"
#include "serve/answering.h"

namespace weft::fuzz {
namespace {

using serve::Step;

// What a reactor and a worker do for a connection.
class Conversation {
 public:
  Conversation(House& house, HttpOracle& oracle)
      : house_(house),
        oracle_(oracle),
        exchange_(limits_, serve::thread_moment().now, &house.site()) {}

  // False: the connection is closed.
  bool send(std::string_view bytes, std::size_t piece_bytes) {
    while (!bytes.empty()) {
      const std::span<char> room = exchange_.room();
      const std::size_t count = std::min({bytes.size(), room.size(), piece_bytes});
      std::copy_n(bytes.data(), count, room.data());
      exchange_.commit(count);
      bytes.remove_prefix(count);
      if (!go_on()) return false;
    }
    // Who has not said all by now never will.
    if (!exchange_.is_idle()) exchange_.end_of_input(serve::thread_moment());
    return go_on();
  }
  // What came out as a request, since the last time.
  std::vector<Asked> take_asked() { return std::exchange(asked_, {}); }

 private:
  bool go_on() {
    for (;;) {
      switch (exchange_.advance(serve::thread_moment())) {
        case Step::request:
          answer();
          break;
        case Step::write:
          take_output();
          break;
        case Step::read:
          require(take_output().empty(), "nothing is said unasked");
          return true;
        case Step::close:
          check_refusal();
          return false;
        case Step::work:
          require(false, "nothing is streamed");
      }
    }
  }

  void answer() {
    take_output();  // leave to send a body
    const Asked asked(exchange_.head(), exchange_.body());
    serve::respond_with(exchange_, counters_, false, [&](serve::Response& response) {
      const serve::Request request{exchange_.head(), exchange_.body(), "127.0.0.1",
                                   exchange_.asked()};
      if (!house_.site().answer_at_once(request, response)) {
        house_.site().answer(request, response);
      }
    });
    require(counters_.failed.value() == 0, "no handler fails");
    const std::string output = take_output();
    under_way = asked.method + " " + asked.target;
    for (const auto& [name, value] : asked.fields) under_way += "\n" + name + ": " + value;
    under_way += "\n\n" + asked.body + "\n--\n" + output;
    oracle_.check(asked, read_reply(output, asked.method == "HEAD"));
    asked_.push_back(asked);
  }

  // Refused by the session: no handler has heard of it.
  void check_refusal() {
    const std::string text = take_output();
    if (text.empty()) return;
    const unsigned status = read_reply(text, false).status;
    constexpr unsigned expected[] = {400, 408, 413, 414, 417, 431, 501, 505};
    require(std::ranges::find(expected, status) != std::end(expected), "a refusal is one");
  }

  std::string take_output() {
    require(exchange_.file().bytes == 0, "no file is sent");
    std::string text(exchange_.text());
    exchange_.text_sent(text.size());
    constexpr std::string_view leave = http::Session::continue_line;
    while (text.starts_with(leave)) text.erase(0, leave.size());
    return text;
  }

  House& house_;
  HttpOracle& oracle_;
  const http::SessionLimits limits_;
  serve::Counters counters_;
  serve::Exchange exchange_;
  std::vector<Asked> asked_;
};

void require_delivered(const RequestText& sent, const std::vector<Asked>& asked) {
  if (!sent.is_proper) return;
  require(asked.size() == 1, "a request is one request");
  require(asked[0].method == sent.method && asked[0].target == sent.target, "what is asked for");
  require(asked[0].body == sent.body, "and the body are those that were sent");
}

}  // namespace

void try_input(std::string_view input) {
  static House house(LogFormat::json, "");
  house.clear();
  Model model;
  HttpOracle oracle(house, model);
  std::optional<Conversation> conversation;
  for (const std::string& record : read_records(input)) {
    Choices choices(record);
    const std::size_t piece_bytes = choices.one_in(4) ? 1 + choices.byte() : SIZE_MAX;
    const RequestText request = request_text(choices);
    if (!conversation) conversation.emplace(house, oracle);
    const bool goes_on = conversation->send(request.bytes, piece_bytes);
    require_delivered(request, conversation->take_asked());
    if (!goes_on) conversation.reset();
  }
  require(house.stored() == model.all(), "nothing is lost");
}

}  // namespace weft::fuzz
