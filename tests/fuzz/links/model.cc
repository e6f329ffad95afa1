// SPDX-License-Identifier: Apache-2.0
// The contract, in other words.
#include "links/model.h"

#include <algorithm>
#include <cctype>

#include "property.h"

namespace weft::fuzz {
namespace {

constexpr std::int64_t ten_years_s = 315'360'000;

bool is_alphanumeric(char c) {
  return static_cast<unsigned char>(c) < 0x80 && std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool all_of(std::string_view text, std::string_view others) {
  return std::ranges::all_of(
      text, [&](char c) { return is_alphanumeric(c) || others.find(c) != std::string_view::npos; });
}

std::string_view without_scheme(std::string_view url) {
  std::string lower(url.substr(0, 8));
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower.starts_with("http://")) return url.substr(7);
  return lower == "https://" ? url.substr(8) : std::string_view();
}

// Nothing that ends a line, leaves quotes, or is seen other than it is.
bool is_safe(std::string_view url) {
  const bool has_bad_byte = std::ranges::any_of(url, [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == '"' || c == '<' ||
           c == '>' || c == '\\' || c == '^' || c == '`' || c == '{' || c == '|' || c == '}';
  });
  const std::string_view rest = without_scheme(url);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  return !has_bad_byte && is_utf8(url) && url.size() <= 2048 && !authority.empty() &&
         authority.find('@') == std::string_view::npos;
}

bool is_plain(std::string_view url) {
  const std::string_view rest = without_scheme(url);
  const std::size_t slash = rest.find('/');
  const std::string_view host = rest.substr(0, slash);
  return url.size() <= 2048 && !host.empty() && host.size() <= 253 && all_of(host, ".-") &&
         all_of(rest.substr(host.size()), "/._~-?=&#%");
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 128 &&
         std::ranges::all_of(text, [](char c) { return c >= '!' && c <= '~'; });
}

std::optional<std::int64_t> expiry_of(const ::links::Link& link) {
  if (!link.expires) return std::nullopt;
  return (*link.expires - link.created).count() / 1000;
}

}  // namespace

bool is_same(const ::links::Link& one, const ::links::Link& other) {
  return one.key == other.key && one.url == other.url && one.created == other.created &&
         one.expires == other.expires && one.visits == other.visits;
}

bool operator==(const Kept& one, const Kept& other) {
  return is_same(one.link, other.link) && one.is_chosen == other.is_chosen &&
         one.idempotency_key == other.idempotency_key;
}

// By the numbers of the characters.
bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t more = first < 0x80 ? 0 : first >> 5U == 6 ? 1 : first >> 4U == 14 ? 2 : 3;
    if (first >= 0x80 && (first < 0xc0 || first >= 0xf8)) return false;
    if (text.size() - at <= more) return false;
    std::uint32_t number = more == 0 ? first : first & (0x3fU >> more);
    for (std::size_t i = 1; i <= more; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      if (next >> 6U != 2) return false;
      number = number * 64 + (next & 0x3fU);
    }
    constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (number < least[more] || number > 0x10ffff || number >> 11U == 0x1b) return false;
    at += more + 1;
  }
  return true;
}

bool is_key(std::string_view text) {
  return !text.empty() && text.size() <= 64 && all_of(text, "_-");
}

Judgement judge(const ::links::NewLink& wanted) {
  const bool is_allowed = is_safe(wanted.url) &&
                          (!wanted.key || (is_key(*wanted.key) && *wanted.key != "links")) &&
                          (!wanted.expires_in_s ||
                           (*wanted.expires_in_s >= 1 && *wanted.expires_in_s <= ten_years_s)) &&
                          (!wanted.idempotency_key || is_name(*wanted.idempotency_key));
  if (!is_allowed) return Judgement::must_refuse;
  return is_plain(wanted.url) ? Judgement::must_take : Judgement::may_take;
}

const Kept* Model::find_by_name(const std::optional<std::string>& idempotency_key) const {
  if (!idempotency_key) return nullptr;
  const auto found = std::ranges::find_if(
      all_, [&](const auto& each) { return each.second.idempotency_key == idempotency_key; });
  return found == all_.end() ? nullptr : &found->second;
}

Model::Creation Model::creation(const ::links::NewLink& wanted) const {
  if (const Kept* const before = find_by_name(wanted.idempotency_key)) {
    const bool is_again = before->link.url == wanted.url &&
                          before->is_chosen == wanted.key.has_value() &&
                          (!wanted.key || before->link.key == *wanted.key) &&
                          expiry_of(before->link) == wanted.expires_in_s;
    return is_again ? Creation::again : Creation::reused;
  }
  return wanted.key && all_.contains(*wanted.key) ? Creation::taken : Creation::made;
}

const ::links::Link& Model::earlier(const ::links::NewLink& wanted) const {
  return find_by_name(wanted.idempotency_key)->link;
}

const Kept* Model::find(std::string_view key) const {
  const auto found = all_.find(std::string(key));
  return found == all_.end() ? nullptr : &found->second;
}

std::vector<::links::Link> Model::page(const ::links::Page& page) const {
  std::vector<::links::Link> found;
  for (const auto& [key, kept] : all_) {
    if (std::ssize(found) == page.limit) break;
    if (key.starts_with(page.prefix) && key > page.after) found.push_back(kept.link);
  }
  return found;
}

void Model::add(const ::links::NewLink& wanted, const ::links::Link& link) {
  all_[link.key] = {link, wanted.key.has_value(), wanted.idempotency_key};
}

bool Model::reconcile(const AllKept& stored, const ::links::NewLink* created,
                      std::string_view visited, std::string_view removed) {
  if (stored == all_) return true;
  Model done(*this);
  if (created != nullptr && creation(*created) == Creation::made) {
    const auto added =
        std::ranges::find_if(stored, [&](const auto& each) { return !all_.contains(each.first); });
    if (added == stored.end() || added->second.link.url != created->url) return false;
    done.add(*created, added->second.link);
  }
  if (done.find(visited) != nullptr) done.visit(visited);
  done.remove(removed);
  *this = done;
  return stored == all_;
}

void require_made(const Model& before, const ::links::NewLink& wanted, const ::links::Link& made) {
  require(made.url == wanted.url && made.visits == 0, "the link is the one that was asked for");
  require(wanted.key ? made.key == *wanted.key : is_key(made.key), "with that key");
  require(before.find(made.key) == nullptr, "which was nobody's");
  require(made.expires.has_value() == wanted.expires_in_s.has_value(), "and ends if it should");
  require(
      !made.expires || *made.expires == made.created + std::chrono::seconds(*wanted.expires_in_s),
      "when it should");
}

}  // namespace weft::fuzz
