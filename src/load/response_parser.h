// SPDX-License-Identifier: Apache-2.0
// ResponseParser: HTTP/1.1 answers out of pieces of bytes, strict enough to notice a cut one.
//
//   head --blank line--> body of a known length --all there--> complete
//                    \-> chunks --last chunk and trailers--> complete
//                    \-> body until the connection closes --close--> complete
//                    \-> no body (HEAD, 204, 304) --> complete
//   Interim answers (1xx) are skipped. What breaks a rule of RFC 9112 is malformed, and stays so.
//
// One answer at a time: bytes behind a complete answer are left to the caller, who did not ask for
// any and may call that malformed, too. Bodies are counted and not kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::load {

class ResponseParser {
 public:
  enum class State : std::uint8_t { incomplete, complete, malformed };

  // Starts anew, for the answer to a request.
  void begin(bool to_head_request = false) noexcept;
  // Takes what belongs to the answer off the front of `bytes`.
  State feed(std::string_view& bytes);
  // The peer has closed, in good order: complete where that ends the body, else malformed, which is
  // a cut answer.
  State close() noexcept;

  State state() const noexcept { return state_; }
  bool has_begun() const noexcept { return part_ != Part::head || !head_.empty(); }
  // Of a complete answer, or of one whose head is complete; else 0.
  unsigned status() const noexcept { return status_; }
  bool keeps_connection() const noexcept { return keeps_connection_; }
  std::uint64_t body_bytes() const noexcept { return body_bytes_; }
  // What rule was broken; a constant text.
  const char* problem() const noexcept { return problem_; }

 private:
  enum class Part : std::uint8_t {
    head,
    body_by_length,
    body_until_close,
    chunk_size,
    chunk_extension,
    chunk_size_end,
    chunk_data,
    chunk_data_return,
    chunk_data_end,
    trailer,
    done,
  };

  struct Fields {
    bool has_length = false;
    std::uint64_t length = 0;
    bool is_chunked = false;
    bool has_transfer_encoding = false;
    bool says_close = false;
    bool says_keep_alive = false;
  };

  State fail(const char* problem) noexcept;
  State finish() noexcept;
  State take_head(std::string_view& bytes);
  bool parse_head(std::string_view head);
  bool parse_status_line(std::string_view line);
  bool parse_field(std::string_view line, Fields& fields);
  bool choose_body(const Fields& fields);
  State take_body(std::string_view& bytes);
  void take_counted(std::string_view& bytes, Part next) noexcept;
  bool take_chunk_byte(char byte);
  void take_trailer(std::string_view& bytes);

  Part part_ = Part::head;
  State state_ = State::incomplete;
  bool to_head_request_ = false;
  bool is_old_ = false;  // HTTP/1.0
  bool keeps_connection_ = false;
  bool has_digits_ = false;  // of a chunk's size
  std::uint64_t left_ = 0;   // bytes of the body, or of the chunk
  std::uint64_t body_bytes_ = 0;
  unsigned status_ = 0;
  const char* problem_ = "";
  std::string head_;  // what has come of it, where it came in pieces; of a trailer, its last line
};

}  // namespace weft::load
