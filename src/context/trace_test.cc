// SPDX-License-Identifier: Apache-2.0
// What W3C Trace Context allows, and what is not taken from a client.
#include <weft/trace.h>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace weft {
namespace {

constexpr std::string_view valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceParent, IsReadAndWrittenAlike) {
  const auto parent = parse_traceparent(valid);
  ASSERT_TRUE(parent);
  EXPECT_TRUE(parent->is_sampled());
  EXPECT_EQ(parent->trace[0], 0x4b);
  EXPECT_EQ(parent->span[7], 0xb7);
  EXPECT_EQ(to_text(*parent), valid);
}

struct Malformed {
  const char* why;
  std::string text;
};

class MalformedTraceParent : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedTraceParent, IsRefused) {
  EXPECT_FALSE(parse_traceparent(GetParam().text)) << GetParam().why;
}

INSTANTIATE_TEST_SUITE_P(
    All, MalformedTraceParent,
    testing::Values(
        Malformed{"empty", ""},
        Malformed{"upper case", "00-4BF92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
        Malformed{"version ff", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
        Malformed{"version of one digit",
                  "0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011"},
        Malformed{"no trace", "00-00000000000000000000000000000000-00f067aa0ba902b7-01"},
        Malformed{"no span", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"},
        Malformed{"too long for its version", std::string(valid) + "-what"},
        Malformed{"one too long", std::string(valid) + "0"},
        Malformed{"too short", std::string(valid.substr(0, 54))},
        Malformed{"newer, and no dash", "01" + std::string(valid.substr(2)) + "x"},
        Malformed{"spaces", " " + std::string(valid)},
        Malformed{"other dashes", "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01"},
        Malformed{"flags are none", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g"}));

TEST(TraceParent, OfANewerVersionIsReadAsFarAsItIsKnown) {
  const auto parent =
      parse_traceparent("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff-later");
  ASSERT_TRUE(parent);
  EXPECT_EQ(to_text(*parent), valid);
}

TEST(TraceState, IsKeptAsItIs) {
  EXPECT_EQ(checked_tracestate("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"),
            "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE");
  EXPECT_EQ(checked_tracestate("  a=1 ,, \t b@c=2 d "), "a=1,b@c=2 d");
  EXPECT_EQ(checked_tracestate("0tenant@system=1"), "0tenant@system=1");
  EXPECT_EQ(checked_tracestate(""), "");
}

TEST(TraceState, IsDroppedAsAWholeWhereItIsMalformed) {
  for (const std::string_view text :
       {"a", "a=", "=1", "A=1", "1=1", "a=1=2", "a=1,a=2", "a@B=1", "a@=1", "@a=1", "a=\x01",
        "a b=1", "a=1\r\nX-Evil: 1", "a=\xc3\xa9"}) {
    EXPECT_EQ(checked_tracestate(text), "") << text;
  }
  EXPECT_EQ(checked_tracestate("a=" + std::string(257, 'x')), "");
  EXPECT_EQ(checked_tracestate(std::string(257, 'a') + "=1"), "");
  std::string many;
  for (int i = 0; i < 33; ++i) many += "k" + std::to_string(i) + "=1,";
  EXPECT_EQ(checked_tracestate(many), "");
}

TEST(Trace, GoesOnWithASpanOfItsOwn) {
  const Trace trace = continue_trace(valid, "a=1");
  EXPECT_EQ(trace.parent.trace, parse_traceparent(valid)->trace);
  EXPECT_NE(trace.parent.span, parse_traceparent(valid)->span);
  EXPECT_TRUE(trace.parent.is_sampled());
  EXPECT_EQ(trace.state, "a=1");
}

TEST(Trace, BeginsWhereNoneCame) {
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) {
    const Trace trace = continue_trace("nonsense", "a=1");
    EXPECT_TRUE(parse_traceparent(to_text(trace.parent)));
    EXPECT_EQ(trace.state, "") << "the state of another trace";
    names.insert(to_text(trace.parent));
  }
  EXPECT_EQ(names.size(), 100U);
}

TEST(Correlation, IsTheClientsNameWhereItIsOne) {
  const Trace trace = continue_trace(valid);
  EXPECT_EQ(correlation_of("order-17/retry.2", trace), "order-17/retry.2");
  for (const std::string_view bad : {"", "a b", "a\nb", "<script>", "\x1b[31m", "\xff"}) {
    EXPECT_EQ(correlation_of(bad, trace), "4bf92f3577b34da6a3ce929d0e0e4736");
  }
  EXPECT_EQ(correlation_of(std::string(129, 'a'), trace), "4bf92f3577b34da6a3ce929d0e0e4736");
}

TEST(Correlation, IsOfHere) {
  EXPECT_EQ(correlation(), "");
  const auto guard = current_correlation.set("order-17");
  EXPECT_EQ(correlation(), "order-17");
}

}  // namespace
}  // namespace weft
