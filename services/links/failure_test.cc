// SPDX-License-Identifier: Apache-2.0
// What is told to whom, when something goes wrong.
#include "failure.h"

#include <gtest/gtest.h>
#include <weft/cancel.h>
#include <weft/sql.h>

#include <set>
#include <string>

namespace links {
namespace {

using weft::sql::ErrorKind;

TEST(Failure, HasANameAndAStatusOfItsOwn) {
  std::set<std::string> names;
  for (int number = 0; number <= static_cast<int>(Problem::internal); ++number) {
    const Meaning meaning = meaning_of(static_cast<Problem>(number));
    EXPECT_TRUE(names.insert(meaning.name).second) << meaning.name;
    EXPECT_GE(meaning.http_status, 400U);
    EXPECT_GT(meaning.grpc_code, 0);
    EXPECT_LE(meaning.grpc_code, 16);
  }
}

TEST(Failure, IsToldToTheClientAsItIs) {
  const Told told = tell(std::make_exception_ptr(Failure(Problem::taken, "somebody has it")));
  EXPECT_EQ(told.problem, Problem::taken);
  EXPECT_EQ(told.for_client, "somebody has it");
  EXPECT_EQ(told.for_log, "");
}

TEST(Failure, OfTheDatabaseIsForTheLog) {
  const auto told_of = [](ErrorKind kind) {
    return tell(std::make_exception_ptr(weft::sql::Error(kind, "17", "secret of the schema")));
  };
  EXPECT_EQ(told_of(ErrorKind::unavailable).problem, Problem::unavailable);
  EXPECT_EQ(told_of(ErrorKind::retriable).problem, Problem::unavailable);
  EXPECT_EQ(told_of(ErrorKind::timeout).problem, Problem::late);
  EXPECT_EQ(told_of(ErrorKind::conflict).problem, Problem::internal);
  EXPECT_EQ(told_of(ErrorKind::syntax).problem, Problem::internal);
  EXPECT_EQ(told_of(ErrorKind::syntax).for_log, "secret of the schema");
  EXPECT_EQ(told_of(ErrorKind::syntax).for_client.find("secret"), std::string::npos);
}

TEST(Failure, OfAnythingElseIsInternal) {
  EXPECT_EQ(tell(std::make_exception_ptr(std::bad_alloc())).problem, Problem::internal);
}

TEST(Failure, ByCancellationIsTheKitsToTell) {
  EXPECT_THROW(tell(std::make_exception_ptr(weft::Cancelled(weft::CancelReason::deadline))),
               weft::Cancelled);
}

}  // namespace
}  // namespace links
