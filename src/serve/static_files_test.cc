// SPDX-License-Identifier: Apache-2.0
// Files over HTTP: which, how much, in which form, and which not at all.
#include "serve/static_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "http/request_parser.h"

namespace weft::serve {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct Answer {
  unsigned status = 0;
  std::map<std::string, std::string> fields;
  std::string body;
};

class StaticFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("weft-files-" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "root/sub");
    write("root/index.html", "the index");
    write("root/a.txt", "0123456789");
    write("root/large", std::string(100'000, 'l'));
    write("root/sub/index.html", "beneath");
    write("root/.secret", "hidden");
    write("outside", "not for everybody");
    auto tree = FileTree::open((folder_ / "root").string());
    files_ = std::make_unique<StaticFiles>(std::move(*tree));
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  Answer ask(const std::string& path, const std::string& fields = "",
             const std::string& method = "GET") {
    const std::string text = method + " " + path + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n";
    http::RequestHead head;
    http::Refusal refusal;
    const auto progress = http::parse_request(text, {}, head, refusal);
    EXPECT_EQ(progress, http::Progress::complete) << text;
    Response response;
    const Request request{head, "", "127.0.0.1"};
    at_once_ = files_->answer_at_once(request, response);
    if (!at_once_) files_->answer(request, response);
    Answer answer{response.status(), {}, std::string(response.body())};
    if (const FilePiece& piece = response.file(); piece.file != nullptr) {
      answer.body.resize(piece.bytes);
      EXPECT_EQ(::pread(piece.file->get(), answer.body.data(), piece.bytes,
                        static_cast<off_t>(piece.offset)),
                static_cast<ssize_t>(piece.bytes));
    }
    response.for_each_field(
        [&](std::string_view name, std::string_view value) { answer.fields.emplace(name, value); });
    return answer;
  }

  fs::path folder_;
  std::unique_ptr<StaticFiles> files_;
  bool at_once_ = false;
};

TEST_F(StaticFilesTest, AFileIsReadOnceAndThenAtHand) {
  EXPECT_EQ(ask("/a.txt").body, "0123456789");
  EXPECT_FALSE(at_once_);
  const Answer again = ask("/a.txt");
  EXPECT_TRUE(at_once_);
  EXPECT_EQ(again.status, 200U);
  EXPECT_EQ(again.body, "0123456789");
  EXPECT_EQ(again.fields.at("Content-Type"), "text/plain; charset=utf-8");
}

TEST_F(StaticFilesTest, AChangeIsSeenSoon) {
  ask("/a.txt");
  write("root/a.txt", "another text");
  while (ask("/a.txt").body != "another text") std::this_thread::sleep_for(5ms);
}

TEST_F(StaticFilesTest, ALargeFileIsSentByTheKernel) {
  EXPECT_EQ(ask("/large").body, std::string(100'000, 'l'));
  EXPECT_EQ(ask("/large", "Range: bytes=99990-\r\n").body, std::string(10, 'l'));
}

TEST_F(StaticFilesTest, AFolderHasAnIndexAndASlash) {
  EXPECT_EQ(ask("/").body, "the index");
  EXPECT_EQ(ask("/sub/").body, "beneath");
  const Answer moved = ask("/sub?a=b");
  EXPECT_EQ(moved.status, 301U);
  EXPECT_EQ(moved.fields.at("Location"), "/sub/?a=b");
  EXPECT_EQ(ask("//sub").fields.at("Location"), "/sub/");  // and no other host
  fs::create_directory(folder_ / "root/empty");
  EXPECT_EQ(ask("/empty/").status, 404U);
}

TEST_F(StaticFilesTest, NothingLeadsOut) {
  fs::create_symlink("../outside", folder_ / "root/up");
  fs::create_symlink(folder_ / "outside", folder_ / "root/absolute");
  fs::create_symlink("..", folder_ / "root/parent");
  fs::create_symlink("a.txt", folder_ / "root/within");
  EXPECT_EQ(ask("/up").status, 403U);
  EXPECT_EQ(ask("/absolute").status, 403U);
  EXPECT_EQ(ask("/parent/outside").status, 403U);
  EXPECT_EQ(ask("/../outside").status, 400U);
  EXPECT_EQ(ask("/sub/..%2f..%2foutside").status, 400U);
  EXPECT_EQ(ask("/within").body, "0123456789");
}

TEST_F(StaticFilesTest, WhatIsHiddenOrNoFileIsNotThere) {
  EXPECT_EQ(ask("/.secret").status, 404U);
  EXPECT_EQ(ask("/nothing").status, 404U);
  EXPECT_EQ(ask("/a.txt/x").status, 404U);
  ASSERT_EQ(::mkfifo((folder_ / "root/fifo").c_str(), 0600), 0);
  EXPECT_EQ(ask("/fifo").status, 403U);
  fs::create_directory(folder_ / "root/.well-known");
  write("root/.well-known/x", "known");
  write("root/.well-known/.x", "hidden");
  EXPECT_EQ(ask("/.well-known/x").body, "known");
  EXPECT_EQ(ask("/.well-known/.x").status, 404U);
}

TEST_F(StaticFilesTest, WhatTheClientHasIsNotSentAgain) {
  const Answer first = ask("/a.txt");
  const std::string tag = first.fields.at("ETag");
  EXPECT_EQ(ask("/a.txt", "If-None-Match: " + tag + "\r\n").status, 304U);
  EXPECT_EQ(ask("/a.txt", "If-None-Match: \"other\"\r\n").status, 200U);
  EXPECT_EQ(ask("/a.txt", "If-Match: \"other\"\r\n").status, 412U);
  const std::string modified = first.fields.at("Last-Modified");
  EXPECT_EQ(ask("/a.txt", "If-Modified-Since: " + modified + "\r\n").status, 304U);
}

TEST_F(StaticFilesTest, RangesAreThoseBytes) {
  const Answer one = ask("/a.txt", "Range: bytes=2-4\r\n");
  EXPECT_EQ(one.status, 206U);
  EXPECT_EQ(one.body, "234");
  EXPECT_EQ(one.fields.at("Content-Range"), "bytes 2-4/10");
  const Answer two = ask("/a.txt", "Range: bytes=0-1,8-9\r\n");
  EXPECT_EQ(two.status, 206U);
  EXPECT_NE(two.body.find("\r\n\r\n01\r\n"), std::string::npos);
  EXPECT_NE(two.body.find("\r\n\r\n89\r\n"), std::string::npos);
  const Answer none = ask("/a.txt", "Range: bytes=10-\r\n");
  EXPECT_EQ(none.status, 416U);
  EXPECT_EQ(none.fields.at("Content-Range"), "bytes */10");
  EXPECT_EQ(ask("/a.txt", "Range: bytes=2-4\r\nIf-Range: \"other\"\r\n").status, 200U);
  EXPECT_EQ(ask("/a.txt", "Range: bytes=2-4\r\nRange: bytes=0-1\r\n").status, 200U);  // which?
}

TEST_F(StaticFilesTest, TheSmallestFormThatTheClientTakesIsSent) {
  write("root/page.html", "plain");
  write("root/page.html.gz", "gzipped");
  write("root/page.html.br", "brotli");
  const Answer plain = ask("/page.html");
  EXPECT_EQ(plain.body, "plain");
  EXPECT_EQ(plain.fields.at("Vary"), "Accept-Encoding");
  const Answer gzipped = ask("/page.html", "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(gzipped.body, "gzipped");
  EXPECT_EQ(gzipped.fields.at("Content-Encoding"), "gzip");
  EXPECT_EQ(gzipped.fields.at("Content-Type"), "text/html; charset=utf-8");
  EXPECT_NE(gzipped.fields.at("ETag"), plain.fields.at("ETag"));
  EXPECT_EQ(ask("/page.html", "Accept-Encoding: gzip, br\r\n").body, "brotli");
  const Answer none = ask("/page.html", "Accept-Encoding: gzip\r\nRange: bytes=99-\r\n");
  EXPECT_EQ(none.status, 416U);
  EXPECT_EQ(none.fields.count("Content-Encoding"), 0U) << "the page is no gzip";
}

TEST_F(StaticFilesTest, OnlyReadingIsAllowed) {
  const Answer posted = ask("/a.txt", "Content-Length: 0\r\n", "POST");
  EXPECT_EQ(posted.status, 405U);
  EXPECT_EQ(posted.fields.at("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(ask("/a.txt", "", "OPTIONS").status, 204U);
}

}  // namespace
}  // namespace weft::serve
