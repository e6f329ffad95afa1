// SPDX-License-Identifier: Apache-2.0
// The JSON of a report, and reading numbers from JSON.
#include "bench/json.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weft::bench {
namespace {

TEST(Json, ARowHasEveryKeyAndNullWhereThereIsNothing) {
  Report report;
  report.rows.push_back(make_row("read", 0.25, "ms", ours_at_most(1)));
  EXPECT_EQ(to_json("budget", report), R"({
  "benchmark": "budget",
  "rows": [
    {
      "name": "read",
      "ours": 0.25,
      "rival": null,
      "rival_name": null,
      "ratio": null,
      "bar": "ours <= 1 ms",
      "holds": true,
      "unit": "ms",
      "samples": 1
    }
  ],
  "notes": []
}
)");
}

TEST(Json, ARowWithARivalHasTheRatioAndItsSpread) {
  Report report;
  report.rows.push_back(make_row("x", "ms", {1, 2, 3}, {2, 2, 2}, "rival", 1));
  report.rows.back().rival_right = false;
  report.rows.back().details.emplace_back("cores", 1.5);
  const std::string text = to_json("budget", report);
  EXPECT_EQ(*number_at(text, "/rows/0/ours"), 2);
  EXPECT_EQ(*number_at(text, "/rows/0/rival"), 2);
  EXPECT_EQ(*number_at(text, "/rows/0/ratio"), 1);
  EXPECT_EQ(*number_at(text, "/rows/0/ratio_low"), 0.5);
  EXPECT_EQ(*number_at(text, "/rows/0/ratio_high"), 1.5);
  EXPECT_EQ(*number_at(text, "/rows/0/samples"), 3);
  EXPECT_EQ(*number_at(text, "/rows/0/cores"), 1.5);
  EXPECT_NE(text.find("\"ours\": 2,"), std::string::npos) << "whole numbers have no point";
  EXPECT_NE(text.find("\"rival_right\": false"), std::string::npos);
  EXPECT_NE(text.find("\"bar\": null"), std::string::npos);
  EXPECT_NE(text.find("\"holds\": null"), std::string::npos);
}

TEST(Json, SurvivesWhatIsNoNumberAndNoText) {
  Report report;
  report.rows.push_back(make_row("x", NAN, "ms", ours_at_most(1)));
  report.notes.push_back("\xff");
  const std::string text = to_json("budget", report);
  EXPECT_NE(text.find("\"ours\": null"), std::string::npos);
  EXPECT_NE(text.find("\"holds\": false"), std::string::npos);
}

TEST(Json, NumberAtQuotesWhatItCouldNotRead) {
  EXPECT_EQ(*number_at(R"({"cpu":{"threads":2}})", "/cpu/threads"), 2);
  EXPECT_EQ(number_at("weft: no", "/cpu").error().message, "not JSON: 'weft: no'");
  EXPECT_EQ(number_at("{}", "/cpu/cores").error().message, "no number at /cpu/cores of '{}'");
  EXPECT_FALSE(number_at(R"({"cpu":"two"})", "/cpu"));
}

}  // namespace
}  // namespace weft::bench
