# SPDX-License-Identifier: Apache-2.0
# weft_proto(TARGET file.proto...): the messages and services of these files as a static library.
#
# The headers are included as "FOLDER/FILE.grpc.pb.h", where FOLDER is the name of the target. What
# protoc writes is not ours: it is compiled without our warnings, and its headers are system headers.
include_guard(GLOBAL)
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)  # who links our library finds what it links
find_package(Protobuf REQUIRED)
find_package(gRPC CONFIG REQUIRED)
unset(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)
# Debian's re2 says -pthread, which changes what is compiled: nothing that was precompiled would fit.
set_target_properties(re2::re2 PROPERTIES INTERFACE_COMPILE_OPTIONS "")
find_program(WEFT_GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)

function(weft_proto target)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_generated)
  set(out ${folder}/${target})
  file(MAKE_DIRECTORY ${out})
  set(sources)
  foreach(proto IN LISTS ARGN)
    get_filename_component(proto ${proto} ABSOLUTE)
    get_filename_component(name ${proto} NAME_WE)
    get_filename_component(from ${proto} DIRECTORY)
    set(made ${out}/${name}.pb.cc ${out}/${name}.pb.h
      ${out}/${name}.grpc.pb.cc ${out}/${name}.grpc.pb.h)
    add_custom_command(OUTPUT ${made}
      COMMAND protobuf::protoc --proto_path=${from} --cpp_out=${out} --grpc_out=${out}
        --plugin=protoc-gen-grpc=${WEFT_GRPC_CPP_PLUGIN} ${proto}
      DEPENDS ${proto} VERBATIM)
    list(APPEND sources ${made})
  endforeach()
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PRIVATE ${out})
  target_include_directories(${target} SYSTEM INTERFACE ${folder} ${out})
  target_link_libraries(${target} PUBLIC gRPC::grpc++ protobuf::libprotobuf)
endfunction()
