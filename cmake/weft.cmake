# SPDX-License-Identifier: Apache-2.0
# The few functions that every folder uses: weft_module(), weft_program(), weft_test().

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_package(Threads REQUIRED)

# Compile options of our own code; not passed on to those who use an installed weft.
add_library(weft_options INTERFACE)
target_compile_options(weft_options INTERFACE
  -Wall -Wextra -Wconversion -Wundef -Werror -fno-omit-frame-pointer
  # Our archives go into shared libraries, but nobody replaces our own functions there: GCC may inline
  # them, as clang does anyway. A hand-over between fibers takes a quarter less time.
  $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
if(WEFT_SANITIZE STREQUAL "thread")
  # Fences are beyond ThreadSanitizer, and GCC says so wherever one is; the model preset is for them.
  target_compile_options(weft_options INTERFACE -Wno-tsan)
endif()
if(WEFT_SANITIZE)
  target_compile_options(weft_options INTERFACE
    -fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(weft_options INTERFACE -fsanitize=${WEFT_SANITIZE})
endif()

if(WEFT_FUZZ)
  # Everything tells the fuzzer which way it went, not only the file with the entry point.
  target_compile_options(weft_options INTERFACE -fsanitize=fuzzer-no-link)
  # What clang 14 puts before functions for this check the assembler refuses where they are coroutines.
  target_compile_options(weft_options INTERFACE -fno-sanitize=function)
endif()

# weft_reuse_headers(TARGET FAMILY [LINK library...] HEADERS header...)
# Headers that nearly every file of a family (libraries, tests) includes, parsed once for all of them.
# The files still include what they use: clang-tidy, which knows nothing of this, would tell.
function(weft_reuse_headers target family)
  cmake_parse_arguments(arg "" "" "LINK;HEADERS" ${ARGN})
  get_target_property(position_independent ${target} POSITION_INDEPENDENT_CODE)
  if(NOT TARGET weft_${family}_headers)
    file(WRITE ${PROJECT_BINARY_DIR}/${family}_headers.cc "")
    add_library(weft_${family}_headers OBJECT ${PROJECT_BINARY_DIR}/${family}_headers.cc)
    set_target_properties(weft_${family}_headers PROPERTIES
      POSITION_INDEPENDENT_CODE ${position_independent})
    target_link_libraries(weft_${family}_headers PRIVATE ${arg_LINK})
    target_precompile_headers(weft_${family}_headers PRIVATE ${arg_HEADERS})
  endif()
  target_precompile_headers(${target} REUSE_FROM weft_${family}_headers)
endfunction()

# weft_compile_together(TARGET...): for targets whose headers take the compiler longer than their own
# code (gRPC, Asio, many files). Eight files at a time are compiled as one, so no two of a target's
# may have the same name for something of their own; clang-tidy reads them one by one.
function(weft_compile_together)
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
      # Of coroutines that hold a lambda: said of what is included, and these are included now.
      target_compile_options(${target} PRIVATE
        $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
    endif()
  endforeach()
endfunction()

# weft_module(NAME [INSTALL] [DEPENDS module...] [LINK library...] [LABELS label...] [SOURCES file...])
# The folder src/NAME as a static library weft::NAME. Unit tests stand beside the file they test
# and are built into one program, with these labels. SOURCES are files that are not in the folder
# itself. INSTALL makes the module part of `make install`.
function(weft_module name)
  cmake_parse_arguments(arg "INSTALL" "" "DEPENDS;LINK;LABELS;SOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(APPEND sources ${arg_SOURCES})
  list(TRANSFORM arg_DEPENDS PREPEND "weft_")

  if(sources)
    add_library(weft_${name} STATIC ${sources})
    set(visibility PUBLIC)
    target_link_libraries(weft_${name} PRIVATE $<BUILD_INTERFACE:weft_options>)
    weft_reuse_headers(weft_${name} library LINK weft_options HEADERS
      <algorithm> <chrono> <functional> <memory> <optional> <string> <variant> <vector>)
  else()
    add_library(weft_${name} INTERFACE)
    set(visibility INTERFACE)
  endif()
  add_library(weft::${name} ALIAS weft_${name})
  set_target_properties(weft_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(weft_${name} ${visibility}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(weft_${name} ${visibility} cxx_std_20)
  target_link_libraries(weft_${name} ${visibility} ${arg_DEPENDS} ${arg_LINK})
  if(arg_INSTALL)
    install(TARGETS weft_${name} EXPORT weft)
  endif()
  if(tests)
    weft_test(${name} ${tests} LINK weft_${name} LABELS ${arg_LABELS})
  endif()
endfunction()

# weft_program(NAME source... [LINK library...])
function(weft_program name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE weft_options ${arg_LINK})
endfunction()

# Tests are compiled more often than they run, and GCC 12 sees overflows at -O2 that are not there.
add_library(weft_test_options INTERFACE)
target_compile_options(weft_test_options INTERFACE $<$<CONFIG:RelWithDebInfo>:-O1>)
target_link_libraries(weft_test_options INTERFACE weft_options GTest::gtest_main)

# weft_test(NAME source... [LINK library...] [LABELS label...]): a GoogleTest program; each of its
# tests is a test of ctest, named NAME.Suite.Case. The target LABEL_tests builds all with a label;
# `threads` says what ThreadSanitizer is for. Nothing where all is built to be fuzzed.
function(weft_test name)
  if(WEFT_FUZZ)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "LINK;LABELS" ${ARGN})
  weft_program(${name}_test ${arg_UNPARSED_ARGUMENTS} LINK ${arg_LINK} weft_test_options)
  set_target_properties(${name}_test PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  weft_reuse_headers(${name}_test test LINK weft_test_options HEADERS
    <gtest/gtest.h> <chrono> <filesystem> <fstream> <functional> <string> <thread> <vector>)
  include(GoogleTest)
  set(properties TIMEOUT 120)
  if(arg_LABELS)
    list(APPEND properties LABELS ${arg_LABELS})
  endif()
  foreach(label IN LISTS arg_LABELS)
    if(NOT TARGET ${label}_tests)
      add_custom_target(${label}_tests)
    endif()
    add_dependencies(${label}_tests ${name}_test)
  endforeach()
  gtest_discover_tests(${name}_test
    TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST PROPERTIES ${properties})
endfunction()

# The same tests about gRPC once more, as NAME_on_weft, with the server on weft's own transport.
function(weft_test_on_weft name)
  gtest_discover_tests(${name}_test TEST_PREFIX "${name}_on_weft." TEST_LIST ${name}_on_weft_tests
    DISCOVERY_MODE PRE_TEST
    PROPERTIES TIMEOUT 120 LABELS grpc ENVIRONMENT WEFT_TEST_GRPC_TRANSPORT=weft)
endfunction()
