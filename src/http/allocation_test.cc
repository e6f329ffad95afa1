// SPDX-License-Identifier: Apache-2.0
// A request is read, routed and answered without a single allocation.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <new>
#include <string>

#include "http/accept_encoding.h"
#include "http/conditional.h"
#include "http/date.h"
#include "http/mime.h"
#include "http/range.h"
#include "http/response_head.h"
#include "http/router.h"
#include "http/session.h"
#include "http/target.h"

namespace {

thread_local std::size_t allocations = 0;

}  // namespace

// Not inlined: GCC would see free() behind new, and take them for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace weft::http {
namespace {

TEST(AllocationTest, TheyAreCounted) {
  const std::size_t before = allocations;
  const std::string text(100, 'a');
  EXPECT_GT(allocations, before) << text;
}

TEST(AllocationTest, ARequestNeedsNone) {
  const std::string input =
      "GET /users/7/photo.png?size=1 HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip, br;q=0.5\r\n"
      "If-None-Match: \"a\"\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
      "Range: bytes=0-1,5-6\r\n\r\n";
  Router router;
  ASSERT_TRUE(router.add(Method::get, "/users/{id}/photo.png").ok());
  const SessionLimits limits;
  Session session(limits, TimePoint{});
  RequestHead head;
  DateCache date;
  std::array<char, 512> memory;
  std::string_view id;
  bool is_written = false;

  const std::size_t before = allocations;
  session.next(input, head, TimePoint{});
  session.next({}, head, TimePoint{});
  const auto path = resolve_path(split_target(head.path_and_query()).path, memory);
  const RouteMatch match = router.find(head.method(), *path);
  id = router.parameter(match, "id").value_or("");
  const Verdict verdict = evaluate_preconditions(head, {true, "\"b\"", 1}, 1'700'000'000);
  const Encoding encoding = choose_encoding(head, {});
  RangeSet set;
  const RangeVerdict range = parse_range(*head.find(KnownField::range), 100, set);
  ResponseHead response(memory);
  response.status(200);
  response.field("Date", date.text(1'700'000'000));
  response.field("Content-Type", media_type(*path));
  response.framing(session.begin_response(200, 1000));
  is_written = response.finish() && session.end_response(TimePoint{});
  const std::size_t after = allocations;

  EXPECT_EQ(after, before);
  EXPECT_TRUE(is_written);
  EXPECT_EQ(id, "7");
  EXPECT_EQ(verdict, Verdict::proceed);
  EXPECT_EQ(encoding, Encoding::identity);
  EXPECT_EQ(range, RangeVerdict::partial);
}

}  // namespace
}  // namespace weft::http
