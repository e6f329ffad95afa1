// SPDX-License-Identifier: Apache-2.0
// Lines of an access log: both formats, and bytes that try to break out of them.
#include "serve/access_line.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

namespace weft::serve {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

// 10 October 2000, 13:55:36.042 in a zone seven hours behind.
constexpr std::chrono::system_clock::time_point moment{971'211'336'042ms};

class AccessLineTest : public ::testing::Test {
 protected:
  AccessLineTest() {
    ::setenv("TZ", "MST7", 1);
    ::tzset();
  }
  ~AccessLineTest() override {
    ::unsetenv("TZ");
    ::tzset();
  }
  static AccessRecord record() {
    return {.peer = "192.0.2.7",
            .request_line = "GET /a?b=c HTTP/1.1",
            .referer = "http://example.org/",
            .user_agent = "curl/8",
            .began = moment,
            .status = 206,
            .body_bytes = 1234,
            .duration = 1'002'003us,
            .waited = 4us,
            .handled = 5ms,
            .is_encrypted = true,
            .is_cut = true};
  }
  static std::string line(AccessFormat format, const AccessRecord& record) {
    std::string text;
    append_line(text, format, record);
    return text;
  }
  // As the request line stands there, between its quotes.
  static std::string quoted(AccessFormat format, std::string_view bytes) {
    AccessRecord record = AccessLineTest::record();
    record.request_line = bytes;
    const std::string text = line(format, record);
    const bool is_json = format == AccessFormat::json;
    const std::size_t begin = text.find(is_json ? "\"request\":\"" : "] \"") + (is_json ? 11 : 3);
    return text.substr(begin, text.find(is_json ? "\",\"status\"" : "\" 206") - begin);
  }
};

TEST_F(AccessLineTest, CombinedIsAsOthersWriteIt) {
  EXPECT_EQ(line(AccessFormat::combined, record()),
            "192.0.2.7 - - [10/Oct/2000:13:55:36 -0700] \"GET /a?b=c HTTP/1.1\" 206 1234 "
            "\"http://example.org/\" \"curl/8\" 1.002003\n");
  EXPECT_EQ(line(AccessFormat::combined, {.began = moment, .status = 400}),
            "- - - [10/Oct/2000:13:55:36 -0700] \"-\" 400 0 \"-\" \"-\" 0.000000\n");
}

TEST_F(AccessLineTest, JsonHasEverything) {
  EXPECT_EQ(line(AccessFormat::json, record()),
            "{\"time\":\"2000-10-10T13:55:36.042-07:00\",\"peer\":\"192.0.2.7\","
            "\"request\":\"GET /a?b=c HTTP/1.1\",\"status\":206,\"body_bytes\":1234,"
            "\"referer\":\"http://example.org/\",\"user_agent\":\"curl/8\","
            "\"duration_seconds\":1.002003,\"wait_seconds\":0.000004,\"handle_seconds\":0.005000,"
            "\"tls\":true,\"at_once\":false,\"cut\":true}\n");
}

TEST_F(AccessLineTest, ALossIsALineOfTheFormat) {
  std::string text;
  append_loss(text, AccessFormat::combined, 12, moment);
  append_loss(text, AccessFormat::json, 34, moment);
  EXPECT_EQ(text,
            "- - - [10/Oct/2000:13:55:36 -0700] \"-\" 000 0 \"-\" \"weft: lines lost: 12\" "
            "0.000000\n{\"time\":\"2000-10-10T13:55:36.042-07:00\",\"lines_lost\":34}\n");
}

TEST_F(AccessLineTest, CombinedKeepsToItsQuotesAndItsLine) {
  const auto in = [](std::string_view bytes) { return quoted(AccessFormat::combined, bytes); };
  EXPECT_EQ(in("a\" 200 0 \"b"), R"(a\" 200 0 \"b)");
  EXPECT_EQ(in("a\\"), R"(a\\)");
  EXPECT_EQ(in("a\nb\rc\td\0e\x1b[31m\x7f"s), R"(a\x0ab\x0dc\x09d\x00e\x1b[31m\x7f)");
  EXPECT_EQ(in("\xc3\xa4\xff"), R"(\xc3\xa4\xff)");
}

TEST_F(AccessLineTest, JsonIsAlwaysUtf8) {
  const auto in = [](std::string_view bytes) { return quoted(AccessFormat::json, bytes); };
  EXPECT_EQ(in("a\"b\\c/"), R"(a\"b\\c/)");
  EXPECT_EQ(in("a\nb\0c\x1f\x7f"s), R"(a\u000ab\u0000c\u001f\u007f)");
  EXPECT_EQ(in("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"), "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(in("\xff\x80 \xc3"), R"(\ufffd\ufffd \ufffd)");
  EXPECT_EQ(in("\xc0\xaf"), R"(\ufffd\ufffd)") << "overlong";
  EXPECT_EQ(in("\xe0\x9f\xbf"), R"(\ufffd\ufffd\ufffd)") << "overlong";
  EXPECT_EQ(in("\xf0\x8f\xbf\xbf"), R"(\ufffd\ufffd\ufffd\ufffd)") << "overlong";
  EXPECT_EQ(in("\xed\xa0\x80"), R"(\ufffd\ufffd\ufffd)") << "a surrogate";
  EXPECT_EQ(in("\xf4\x90\x80\x80"), R"(\ufffd\ufffd\ufffd\ufffd)") << "beyond the last";
  EXPECT_EQ(in("\xe2\x82x"), R"(\ufffd\ufffdx)") << "cut short";
}

TEST_F(AccessLineTest, EveryByteStaysInItsLine) {
  for (int byte = 0; byte < 256; ++byte) {
    AccessRecord each = record();
    const std::string text(3, static_cast<char>(byte));
    each.request_line = each.referer = each.user_agent = text;
    for (const AccessFormat format : {AccessFormat::combined, AccessFormat::json}) {
      const std::string written = line(format, each);
      EXPECT_EQ(written.find('\n'), written.size() - 1) << byte;
      for (const char character : written) {
        EXPECT_TRUE(character == '\n' || (character >= ' ' && character < 0x7f)) << byte;
      }
    }
  }
}

}  // namespace
}  // namespace weft::serve
