// SPDX-License-Identifier: Apache-2.0
// Conditional requests.
#include "http/conditional.h"

#include "http/date.h"
#include "http/entity_tag.h"

namespace weft::http {
namespace {

using Compare = bool (*)(EntityTag, EntityTag);

bool matches_list(std::string_view list, const Validators& validators, Compare matches) {
  if (list == "*") return validators.exists;
  const auto ours = parse_entity_tag(validators.entity_tag);
  if (!validators.exists || !ours) return false;
  while (const auto theirs = take_entity_tag(list)) {
    if (matches(*ours, *theirs)) return true;
  }
  return false;
}

bool matches_any(const RequestHead& head, KnownField field, const Validators& validators,
                 Compare matches) {
  bool found = false;
  head.for_each(field, [&](std::string_view list) {
    found = found || matches_list(list, validators, matches);
  });
  return found;
}

// The date of a field that is there once.
std::optional<std::int64_t> date_of(const RequestHead& head, KnownField field, std::int64_t now) {
  const auto text = head.find(field);
  if (!text || head.has_more_than_one(field)) return std::nullopt;
  return parse_date(*text, now);
}

}  // namespace

Verdict evaluate_preconditions(const RequestHead& head, const Validators& validators,
                               std::int64_t now_unix_seconds) noexcept {
  if (head.has(KnownField::if_match)) {
    if (!matches_any(head, KnownField::if_match, validators, is_strong_match)) {
      return Verdict::precondition_failed;
    }
  } else if (validators.last_modified) {
    const auto since = date_of(head, KnownField::if_unmodified_since, now_unix_seconds);
    if (since && *validators.last_modified > *since) return Verdict::precondition_failed;
  }

  const bool only_reads = head.method() == Method::get || head.method() == Method::head;
  if (head.has(KnownField::if_none_match)) {
    if (matches_any(head, KnownField::if_none_match, validators, is_weak_match)) {
      return only_reads ? Verdict::not_modified : Verdict::precondition_failed;
    }
  } else if (only_reads && validators.last_modified) {
    const auto since = date_of(head, KnownField::if_modified_since, now_unix_seconds);
    if (since && *validators.last_modified <= *since) return Verdict::not_modified;
  }
  return Verdict::proceed;
}

bool range_applies(const RequestHead& head, const Validators& validators,
                   std::int64_t now_unix_seconds) noexcept {
  const auto condition = head.find(KnownField::if_range);
  if (!condition) return true;
  if (head.has_more_than_one(KnownField::if_range)) return false;
  if (const auto theirs = parse_entity_tag(*condition)) {
    const auto ours = parse_entity_tag(validators.entity_tag);
    return ours && is_strong_match(*ours, *theirs);
  }
  const auto date = parse_date(*condition, now_unix_seconds);
  return date && validators.last_modified && *date == *validators.last_modified &&
         *date + 1 < now_unix_seconds;
}

}  // namespace weft::http
