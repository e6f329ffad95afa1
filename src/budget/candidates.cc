// SPDX-License-Identifier: Apache-2.0
// Candidates: how one is made from what was read, and which of them wins.
#include "budget/candidates.h"

#include <utility>

#include "budget/host.h"

namespace weft::budget {

const char* to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::chosen:
      return "chosen";
    case Verdict::looser:
      return "looser";
    case Verdict::overridden:
      return "overridden";
    case Verdict::throttles:
      return "throttles";
    case Verdict::unlimited:
      return "unlimited";
    case Verdict::absent:
      return "absent";
    case Verdict::unreadable:
      return "unreadable";
    case Verdict::malformed:
      return "malformed";
  }
  return "?";
}

Candidate from_limit(std::string source, std::string where, const base::Result<Limit>& limit,
                     std::string none) {
  Candidate candidate{std::move(source), std::move(where), {}, Verdict::looser, {}};
  if (!limit) {
    candidate.verdict = Verdict::malformed;
    candidate.reason = limit.error().message;
  } else if (!*limit) {
    candidate.verdict = Verdict::unlimited;
    candidate.reason = std::move(none);
  } else {
    candidate.value = **limit;
  }
  return candidate;
}

Candidate from_error(std::string source, std::string where, const base::Error& error,
                     const std::string& absence) {
  const bool absent = is_absent(error);
  return {std::move(source),
          std::move(where),
          {},
          absent ? Verdict::absent : Verdict::unreadable,
          absent ? absence : error.message};
}

const Candidate* choose_smallest(std::vector<Candidate>& candidates,
                                 std::string (*describe)(double value)) {
  Candidate* winner = nullptr;
  for (Candidate& candidate : candidates) {
    if (candidate.value && (winner == nullptr || *candidate.value < *winner->value)) {
      winner = &candidate;
    }
  }
  if (winner == nullptr) return nullptr;
  for (Candidate& candidate : candidates) {
    if (!candidate.value || &candidate == winner) continue;
    candidate.verdict = Verdict::looser;
    candidate.reason = (*candidate.value == *winner->value ? "the same as " : "looser than ") +
                       winner->source + " (" + describe(*winner->value) + ")";
  }
  winner->verdict = Verdict::chosen;
  winner->reason = "the tightest";
  return winner;
}

}  // namespace weft::budget
