// SPDX-License-Identifier: Apache-2.0
// What each problem is called, and which exceptions are which.
#include "failure.h"

#include <weft/cancel.h>
#include <weft/sql.h>

namespace links {
namespace {

Problem problem_of(weft::sql::ErrorKind kind) noexcept {
  using weft::sql::ErrorKind;
  switch (kind) {
    case ErrorKind::unavailable:
    case ErrorKind::cancelled:
    case ErrorKind::retriable:
      return Problem::unavailable;
    case ErrorKind::timeout:
      return Problem::late;
    case ErrorKind::conflict:
    case ErrorKind::constraint:
    case ErrorKind::syntax:
    case ErrorKind::misuse:
    case ErrorKind::other:
      break;
  }
  return Problem::internal;
}

const char* text_of(Problem problem) noexcept {
  switch (problem) {
    case Problem::unavailable:
      return "the database cannot be reached; try again soon";
    case Problem::late:
      return "the database took too long";
    default:
      return "the service failed; its log says more";
  }
}

}  // namespace

Meaning meaning_of(Problem problem) noexcept {
  switch (problem) {
    case Problem::malformed:
      return {"malformed", 400, 3};  // INVALID_ARGUMENT
    case Problem::unsupported_type:
      return {"unsupported_type", 415, 3};
    case Problem::too_large:
      return {"too_large", 413, 8};  // RESOURCE_EXHAUSTED
    case Problem::invalid:
      return {"invalid", 422, 3};
    case Problem::not_found:
      return {"not_found", 404, 5};  // NOT_FOUND
    case Problem::expired:
      return {"expired", 410, 9};  // FAILED_PRECONDITION
    case Problem::taken:
      return {"taken", 409, 6};  // ALREADY_EXISTS
    case Problem::reused:
      return {"reused", 422, 3};
    case Problem::unavailable:
      return {"unavailable", 503, 14};  // UNAVAILABLE
    case Problem::late:
      return {"late", 504, 4};  // DEADLINE_EXCEEDED
    case Problem::internal:
      break;
  }
  return {"internal", 500, 13};  // INTERNAL
}

Told tell(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const weft::Cancelled&) {
    throw;
  } catch (const Failure& failure) {
    return {failure.problem(), failure.what(), ""};
  } catch (const weft::sql::Error& error) {
    const Problem problem = problem_of(error.kind());
    return {problem, text_of(problem), error.what()};
  } catch (const std::exception& error) {
    return {Problem::internal, text_of(Problem::internal), error.what()};
  }
}

}  // namespace links
