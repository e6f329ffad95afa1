// SPDX-License-Identifier: Apache-2.0
// Texts as the protocol's page has them.
#include "wire/texts.h"

#include <gtest/gtest.h>

namespace weft::wire {
namespace {

TEST(Texts, MessagesArePercentEncoded) {
  EXPECT_EQ(percent_encoded("plain text, \"quoted\" ~"), "plain text, \"quoted\" ~");
  EXPECT_EQ(percent_encoded("100 %"), "100 %25");
  EXPECT_EQ(percent_encoded("a\nb\r\t"), "a%0Ab%0D%09");
  EXPECT_EQ(percent_encoded("gr\xc3\xbc\xc3\x9f"), "gr%C3%BC%C3%9F");
  EXPECT_EQ(percent_encoded(std::string("\0\x7f", 2)), "%00%7F");
}

TEST(Texts, MessagesAreCutOffBetweenCharacters) {
  EXPECT_EQ(percent_encoded("abc", 2), "ab");
  EXPECT_EQ(percent_encoded("ab\n", 4), "ab");
  EXPECT_EQ(percent_encoded("ab\n", 5), "ab%0A");
  EXPECT_EQ(percent_encoded("ab", 0), "");
}

TEST(Texts, BytesAreBase64) {
  for (const auto& [bytes, text] : {std::pair<std::string, std::string>{"", ""},
                                    {"f", "Zg"},
                                    {"fo", "Zm8"},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg"},
                                    {std::string("\0\xff\xfe", 3), "AP/+"}}) {
    EXPECT_EQ(base64_of(bytes), text);
    EXPECT_EQ(bytes_of_base64(text), bytes);
  }
  EXPECT_EQ(bytes_of_base64("Zg=="), "f");
  EXPECT_EQ(bytes_of_base64("Zm8="), "fo");
  for (const char* const wrong :
       {"Z", "Zg=", "Zg===", "Z===", "Zm9v=", "Zm 9", "Zm9-", "====", "Zg==Zg=="}) {
    EXPECT_EQ(bytes_of_base64(wrong), std::nullopt) << wrong;
  }
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (std::size_t i = 0; i <= all.size(); ++i) {
    EXPECT_EQ(bytes_of_base64(base64_of(all.substr(i))), all.substr(i));
  }
}

TEST(Texts, ContentTypesOfGrpc) {
  for (const char* const right : {"application/grpc", "application/grpc+proto",
                                  "application/grpc;charset=x", "application/grpc+json"}) {
    EXPECT_TRUE(is_grpc_content_type(right)) << right;
  }
  for (const char* const wrong :
       {"", "application/json", "application/grpc-web", "application/grpcx", " application/grpc"}) {
    EXPECT_FALSE(is_grpc_content_type(wrong)) << wrong;
  }
}

TEST(Texts, NamesAndValuesOfMetadata) {
  for (const char* const right : {"x-request-id", "a", "a.b_c-9", "key-bin"}) {
    EXPECT_TRUE(is_name_of_metadata(right)) << right;
  }
  for (const char* const wrong :
       {"", ":path", "Upper", "grpc-status", "grpc-message", "te", "a b", "content-type", "a\nb"}) {
    EXPECT_FALSE(is_name_of_metadata(wrong)) << wrong;
  }
  EXPECT_TRUE(is_value_of_metadata("a b"));
  EXPECT_TRUE(is_value_of_metadata(""));
  for (const char* const wrong : {" a", "a ", "a\nb", "\x7f", "\xc3\xbc"}) {
    EXPECT_FALSE(is_value_of_metadata(wrong)) << wrong;
  }
  EXPECT_TRUE(is_binary("trace-bin"));
  EXPECT_FALSE(is_binary("bin"));
}

}  // namespace
}  // namespace weft::wire
