// SPDX-License-Identifier: Apache-2.0
// The cases of cases/*.json: what is sent to a server, and what it must do.
//
// A file is an array of objects with these keys:
//   name    unique in all files
//   rfc     "9112 6.3": the number and the section
//   send    the bytes, as a text whose characters U+0000 to U+00FF are bytes; or an array of such
//           texts and of {"repeat": text, "times": number}
//   expect  the statuses of all responses, in order, 100 included
//   closes  whether the server closes the connection, once all was sent and answered
//   needs   "tag": /file.txt has the entity tag "v1"; otherwise absent
//
// They suppose a server with these resources: "/" for GET; "/file.txt" for GET, 1,000 bytes, last
// modified on Sun, 06 Nov 1994 08:49:37 GMT; "/echo" for GET, POST and PUT, which answers the
// request's body; "/stream" for GET, whose length is not known before; "/early" for POST, which
// answers before it has read the body. HEAD goes wherever GET does. The limits are the defaults.
#pragma once

#include <string>
#include <vector>

namespace weft::http {

struct Case {
  std::string name;
  std::string send;
  std::vector<int> expect;
  bool closes = false;
};

std::vector<Case> read_cases(const std::string& path);

}  // namespace weft::http
