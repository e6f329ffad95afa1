# SPDX-License-Identifier: Apache-2.0
# Writes a file's bytes as C++: cmake -DINPUT=file -DOUTPUT=file.cc -DNAME=namespace::name -P embed.cmake
#
# What comes out defines `extern const std::string_view NAME;`.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
# Lines that tools bear.
string(REGEX REPLACE "(('.....,){16})" "\\1\n  " bytes "${bytes}")
string(REGEX MATCH "^(.*)::([^:]+)$" matched ${NAME})
file(WRITE ${OUTPUT}
"// Made from ${INPUT} by the build.
#include <string_view>

namespace ${CMAKE_MATCH_1} {
namespace {
constexpr char bytes[] = {
  ${bytes}
};
}  // namespace
extern const std::string_view ${CMAKE_MATCH_2};
const std::string_view ${CMAKE_MATCH_2}{bytes, sizeof(bytes)};
}  // namespace ${CMAKE_MATCH_1}
")
