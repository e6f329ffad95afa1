// SPDX-License-Identifier: Apache-2.0
// How libFuzzer changes inputs that are records: the requests as such, or the choices of one.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>

#include "links/records.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace weft::fuzz {
namespace {

using Records = std::vector<std::string>;

constexpr std::size_t most_record_bytes = 512;

// Lets libFuzzer, which knows what comparisons failed, change the choices of one request.
void change_one(std::string& record) {
  const std::size_t before = record.size();
  record.resize(most_record_bytes);
  record.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(record.data()),
                                 std::min(before, most_record_bytes), most_record_bytes));
}

void change(Records& records, std::minstd_rand& chance) {
  const auto any = [&] { return chance() % records.size(); };
  if (records.empty()) records.emplace_back();
  switch (chance() % 8) {
    case 0:
      records.insert(records.begin() + static_cast<std::ptrdiff_t>(any()),
                     Records::value_type(records[any()]));
      break;
    case 1:
      if (records.size() > 1) records.erase(records.begin() + static_cast<std::ptrdiff_t>(any()));
      break;
    case 2:
      std::swap(records[any()], records[any()]);
      break;
    case 3: {  // the end of one behind the beginning of another
      const std::string& from = records[any()];
      std::string& to = records[any()];
      const std::string tail = from.substr(chance() % (from.size() + 1));
      to = to.substr(0, chance() % (to.size() + 1)) + tail;
      break;
    }
    default:
      change_one(records[any()]);
  }
  if (records.size() > most_records) records.resize(most_records);
}

std::size_t give(const Records& records, std::uint8_t* data, std::size_t most) {
  const std::string text = write_records(records);
  const std::size_t bytes = std::min(text.size(), most);
  std::memcpy(data, text.data(), bytes);
  return bytes;
}

Records records_of(const std::uint8_t* data, std::size_t size) {
  return read_records({reinterpret_cast<const char*>(data), size});
}

}  // namespace
}  // namespace weft::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::minstd_rand chance(seed);
  if (chance() % 16 == 0) return LLVMFuzzerMutate(data, size, most);
  auto records = weft::fuzz::records_of(data, size);
  for (unsigned changes = 1 + chance() % 3; changes != 0; --changes) {
    weft::fuzz::change(records, chance);
  }
  return weft::fuzz::give(records, data, most);
}

// Some requests of one, and behind them some of the other.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size,
                                                 const std::uint8_t* other, std::size_t other_size,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  std::minstd_rand chance(seed);
  auto records = weft::fuzz::records_of(one, one_size);
  const auto more = weft::fuzz::records_of(other, other_size);
  records.resize(chance() % (records.size() + 1));
  const std::size_t from = chance() % (more.size() + 1);
  records.insert(records.end(), more.begin() + static_cast<std::ptrdiff_t>(from), more.end());
  return weft::fuzz::give(records, out, most);
}
