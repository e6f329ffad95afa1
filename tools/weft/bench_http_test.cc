// SPDX-License-Identifier: Apache-2.0
// What generators print as numbers, numbers as rows, rows as a page: all without a machine.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "bench_http_cells.h"
#include "bench_http_matrix.h"
#include "bench_http_page.h"
#include "bench_http_plots.h"
#include "bench_http_proc.h"
#include "bench_http_samples.h"

namespace weft::tool {
namespace {

using Measured = HttpMeasurement;

HttpMeasurement with_p99(double p99) {
  HttpMeasurement run;
  run.p99 = p99;
  run.asked_p99 = p99;
  return run;
}

// A cell of two contenders with these P99, by round; below zero: no run that stands.
HttpSamples two(const std::vector<double>& ours, const std::vector<double>& rival) {
  HttpSamples samples(
      {.suite = "burst", .name = "burst", .load = {}, .contenders = {{"ours"}, {"rival"}}});
  for (const auto& [index, values] : {std::pair{0, ours}, {1, rival}}) {
    for (const double value : values) {
      samples.rounds[static_cast<std::size_t>(index)].push_back(
          value < 0 ? std::nullopt : std::optional(with_p99(value)));
    }
  }
  return samples;
}

HttpComparison comparison(HttpRule rule, bench::Bar bar) {
  return {"ours", "rival", &Measured::p99, "P99", "ms", rule, bar};
}

TEST(HttpMeasurement, ReadsTheReportOfWeftLoad) {
  const auto run = parse_load_report(R"({"latency": {
      "served": {"p50": 0.001, "p90": 0.002, "p99": 0.005, "p99.9": 0.006},
      "in_bursts": {"p99": 0.004}, "rejected": {"count": 20}},
    "slip": {"p99": 0.00001}, "rate": {"offered": 100, "good": 70},
    "bursts": [{"recovery": 0.1}, {"recovery": null}, {"recovery": 0.3}],
    "counts": {"good": 70, "unavailable": 20, "timeout": 10},
    "void_because": ["it was late", "and slow"], "generator": {"work_share": 0.25}})");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_DOUBLE_EQ(run->p99, 5);
  EXPECT_DOUBLE_EQ(run->burst_p99, 4);
  EXPECT_DOUBLE_EQ(run->recovery, 300);
  EXPECT_DOUBLE_EQ(run->goodput, 70);
  EXPECT_DOUBLE_EQ(run->rejected, 0.2);
  EXPECT_NEAR(run->failed, 0.1, 1e-9);
  EXPECT_DOUBLE_EQ(run->generator_cpu, 0.25);
  EXPECT_EQ(run->void_because, "it was late; and slow");
  EXPECT_FALSE(parse_load_report("{}"));
  EXPECT_FALSE(parse_load_report("not JSON"));
}

TEST(HttpMeasurement, ReadsWhatWrkPrints) {
  const auto run = parse_wrk(
      "Running 2s test @ http://127.0.0.1:1/\n  1 threads and 64 connections\n"
      "  Latency Distribution\n     50%  669.00us\n     75%    1.00ms\n     90%    1.20ms\n"
      "     99%    0.01s \n  200 requests in 2.00s, 1.00MB read\n"
      "  Non-2xx or 3xx responses: 50\nRequests/sec:    100.00\n");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_DOUBLE_EQ(run->p50, 0.669);
  EXPECT_DOUBLE_EQ(run->p99, 10);
  EXPECT_DOUBLE_EQ(run->rejected, 0.25);
  EXPECT_DOUBLE_EQ(run->goodput, 75);
  EXPECT_FALSE(parse_wrk("unable to connect"));
}

TEST(HttpMeasurement, ReadsTheLogOfH2load) {
  const auto run = parse_h2load_log("1\t200\t1000\n2\t200\t3000\n3\t503\t10\n4\t200\t2000\n");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_DOUBLE_EQ(run->p50, 2);
  EXPECT_DOUBLE_EQ(run->failed, 0.25);
  EXPECT_FALSE(parse_h2load_log(""));
}

TEST(HttpMeasurement, CountsWhatWasRefusedWithTheTimeOut) {
  const auto samples = parse_samples(
      "intended,begun,sent,first_byte,end,connect,status,outcome,request,phase\n"
      "0.5,0.5,0.5,0.5,0.502,0,200,good,0,quiet\n"
      "0.7,0.7,0.7,0.7,0.701,0,503,unavailable,0,burst 1\n",
      1000);
  ASSERT_TRUE(samples) << samples.error().message;
  ASSERT_EQ(samples->size(), 2U);
  EXPECT_NEAR((*samples)[0].latency, 2, 1e-6);
  EXPECT_FALSE((*samples)[0].is_in_burst);
  EXPECT_DOUBLE_EQ((*samples)[1].latency, 1000);
  EXPECT_TRUE((*samples)[1].is_in_burst);
  EXPECT_GT(asked_p99(*samples), 900);
  EXPECT_FALSE(parse_samples("names\n1,2,3\n", 1000));
}

TEST(HttpProc, FindsGroupFieldsAndMetrics) {
  EXPECT_EQ(parse_process_group("12 (a) b (c) S 1 77 5"), 77);
  EXPECT_FALSE(parse_process_group("12"));
  EXPECT_EQ(parse_field("Rss:   5 kB\nPss:   12 kB\n", "Pss"), 12);
  EXPECT_FALSE(parse_field("Pss_Anon: 3 kB\n", "Pss"));
  EXPECT_EQ(
      parse_metric("# HELP a b\nweft_pool_threads_x 3\nweft_pool_threads 8\n", "weft_pool_threads"),
      8);
}

TEST(HttpPeers, FillsInEveryMark) {
  EXPECT_EQ(fill_in("a @X@ b @Y@ @X@", {{"X", "1@X@"}, {"Y", "2"}}), "a 1@X@ b 2 1@X@");
}

TEST(HttpSamples, PairsRoundsInWhichBothStand) {
  const auto [ours, rival] = paired(two({1, -1, 3, 4}, {2, 4, -1, 8}), 0, 1, &Measured::p99);
  EXPECT_EQ(ours, (std::vector<double>{1, 4}));
  EXPECT_EQ(rival, (std::vector<double>{2, 8}));
}

TEST(HttpSamples, JudgesByTheRule) {
  const auto holds = [](const HttpSamples& samples, HttpRule rule, bench::Bar bar) {
    return row_of(samples, comparison(rule, bar), 1)->holds.value();
  };
  const HttpSamples half = two({1, 2, 3}, {2, 4, 6});
  EXPECT_TRUE(holds(half, HttpRule::median, bench::ratio_at_most(0.5)));
  EXPECT_FALSE(holds(half, HttpRule::median, bench::ratio_at_most(0.4)));
  EXPECT_FALSE(holds(half, HttpRule::both_sides, bench::ratio_at_most(1.1)));
  EXPECT_TRUE(holds(two({10, 11}, {11, 11}), HttpRule::both_sides, bench::ratio_at_most(1.1)));
  // Worse on the median, and yet not surely behind; then surely.
  const HttpSamples mixed = two({5, 5, 5}, {6, 4, 4});
  EXPECT_FALSE(holds(mixed, HttpRule::median, bench::ratio_at_most(1)));
  EXPECT_TRUE(holds(mixed, HttpRule::not_behind, bench::ratio_at_most(1)));
  EXPECT_FALSE(holds(two({5, 5}, {4, 4}), HttpRule::not_behind, bench::ratio_at_most(1)));
  EXPECT_FALSE(holds(half, HttpRule::not_behind, bench::ratio_at_least(1)));
  // The upper end is what counts, not the median.
  const HttpSamples wide = two({1, 1, 3}, {4, 4, 4});
  EXPECT_FALSE(holds(wide, HttpRule::upper_end, bench::ours_at_most(0.7)));
  EXPECT_TRUE(holds(half, HttpRule::upper_end, bench::ours_at_most(0.7)));
}

TEST(HttpSamples, VoidRunsAreNeverQuoted) {
  const HttpSamples nothing = two({-1, 5}, {5, -1});
  const auto row = row_of(nothing, comparison(HttpRule::median, bench::ratio_at_most(1)), 1);
  ASSERT_TRUE(row);
  EXPECT_FALSE(row->ratio);
  EXPECT_FALSE(row->holds.value());
  const auto upper = row_of(nothing, comparison(HttpRule::upper_end, bench::ours_at_most(1)), 1);
  EXPECT_FALSE(upper->holds.value());
  // Who was left out has no row at all.
  HttpComparison absent = comparison(HttpRule::median, bench::ratio_at_most(1));
  absent.rival = "somebody";
  EXPECT_FALSE(row_of(nothing, absent, 1));
}

TEST(HttpSamples, ShowsAVoidContenderWithoutNumbers) {
  HttpSamples samples = two({-1}, {5});
  samples.voids[0] = 2;
  const auto table = table_of(samples);
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[1][1], "-");
  EXPECT_EQ(table[1].back(), "2");
  bench::Report report;
  samples.void_because = "it was late";
  add_to_report({samples}, 1, report);
  EXPECT_NE(report.notes.at(0).find("it was late"), std::string::npos);
}

HttpSamples matrix_cell(double fixed, double adaptive) {
  HttpSamples samples({.suite = "matrix",
                       .name = "matrix, a",
                       .load = {},
                       .contenders = {fixed_of(8), policy_of("adaptive")}});
  samples.rounds[0] = {with_p99(fixed)};
  if (adaptive > 0) {
    samples.rounds[1] = {with_p99(adaptive)};
  } else {
    samples.rounds[1] = {std::nullopt};
  }
  return samples;
}

TEST(HttpMatrix, SumsRatiosToTheBestOfEachCell) {
  const HttpMatrixSums sums =
      matrix_sums({matrix_cell(10, 5), matrix_cell(2, 3), matrix_cell(1, 0)});
  EXPECT_EQ(sums.cells, 2U);
  EXPECT_EQ(sums.left_out, 1U);
  ASSERT_EQ(sums.sums.size(), 2U);
  EXPECT_DOUBLE_EQ(sums.sums[0].sum, 3);
  EXPECT_DOUBLE_EQ(sums.sums[1].sum, 2.5);
  bench::Report report;
  add_matrix_rows({matrix_cell(10, 5), matrix_cell(2, 3)}, report);
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_TRUE(report.rows[0].holds.value());
}

TEST(HttpCells, AreNamedOnceAndCompareWhoIsThere) {
  for (const bool quick : {false, true}) {
    std::set<std::string> names;
    std::set<std::string> suites;
    bool some_are_quick = false;
    for (const HttpCell& cell : http_cells(quick)) {
      EXPECT_TRUE(names.insert(cell.name).second) << cell.name;
      EXPECT_TRUE(cell.name.starts_with(cell.suite)) << cell.name;
      suites.insert(cell.suite);
      some_are_quick = some_are_quick || cell.is_quick;
      const HttpSamples samples(cell);
      for (const HttpComparison& comparison : cell.comparisons) {
        EXPECT_TRUE(samples.index_of(comparison.ours)) << cell.name << ": " << comparison.ours;
        EXPECT_TRUE(comparison.rival.empty() || samples.index_of(comparison.rival))
            << cell.name << ": " << comparison.rival;
      }
    }
    EXPECT_TRUE(some_are_quick);
    EXPECT_EQ(suites, (std::set<std::string>{"burst", "crosscheck", "hello", "idle", "latency",
                                             "matrix", "scale", "static", "steady"}));
  }
}

TEST(HttpPlots, TakesQuantilesOnlyAsFarAsTheyGo) {
  std::vector<HttpSample> samples;
  for (int i = 1; i <= 100; ++i) samples.push_back({i * 0.01, double(i), true, i > 50});
  samples.push_back({0.5, 1e6, false, true});  // no good answer: not in the plot
  const auto all = latency_by_quantile(samples, false);
  EXPECT_DOUBLE_EQ(all.front().first, 2);
  EXPECT_DOUBLE_EQ(all.front().second, 50);
  EXPECT_LE(all.back().first, 100);
  EXPECT_LE(all.back().second, 100);
  EXPECT_DOUBLE_EQ(latency_by_quantile(samples, true).front().second, 75);
  EXPECT_TRUE(latency_by_quantile({}, false).empty());
  const auto p99 = p99_over_time(samples, 0.5);
  ASSERT_EQ(p99.size(), 3U);
  EXPECT_DOUBLE_EQ(p99[0].first, 0.25);
  EXPECT_NEAR(p99[1].second, 99, 1);
}

TEST(HttpPage, EscapesWhatOthersSaid) {
  HttpSamples samples = two({1}, {2});
  samples.traces.resize(2);
  samples.traces[0].samples = {{0.1, 5, true, true}, {0.2, 6, true, true}};
  samples.traces[0].workers = {{0, 8}, {0.1, 16}};
  bench::Report report;
  report.rows.push_back(*row_of(samples, comparison(HttpRule::median, bench::ratio_at_most(1)), 1));
  report.notes.emplace_back("<script>alert(1)</script> & more");
  const std::string page =
      http_page(report, {samples}, {.command = "weft bench http", .date = "today"});
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("&lt;script"), std::string::npos);
  EXPECT_NE(page.find("class=\"holds\">yes"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  // Nothing from outside: the only address is the name space of SVG.
  std::string rest = page;
  const std::string name_space = "http://www.w3.org/2000/svg";
  for (auto at = rest.find(name_space); at != std::string::npos; at = rest.find(name_space)) {
    rest.erase(at, name_space.size());
  }
  EXPECT_EQ(rest.find("http://"), std::string::npos);
  EXPECT_EQ(rest.find("https://"), std::string::npos);
}

}  // namespace
}  // namespace weft::tool
