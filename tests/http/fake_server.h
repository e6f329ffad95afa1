// SPDX-License-Identifier: Apache-2.0
// FakeServer: the smallest driver of a session, with the resources that case_file.h names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/input_buffer.h"
#include "http/request_head.h"
#include "http/router.h"
#include "http/session.h"

namespace weft::http {

class FakeServer {
 public:
  FakeServer();

  // Takes what came from the client and answers all that can be answered.
  void receive(std::string_view bytes);

  const std::vector<int>& statuses() const { return statuses_; }
  const std::string& output() const { return output_; }
  bool is_closed() const { return is_closed_; }

 private:
  struct Answer {
    int status = 200;
    std::optional<std::string> body = std::string();  // none: of unknown length
    std::vector<std::pair<std::string, std::string>> fields;
    std::string streamed;  // the body, where `body` is none
  };

  void run();
  void handle(const Event& event);
  bool is_early() const;
  Answer answer() const;
  Answer answer_file() const;
  void respond(const Answer& answer);

  SessionLimits limits_;
  Session session_;
  RequestHead head_;
  InputBuffer input_;
  Router router_;
  std::string request_body_;
  std::string output_;
  std::vector<int> statuses_;
  bool is_closed_ = false;
};

}  // namespace weft::http
