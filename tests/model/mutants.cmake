# SPDX-License-Identifier: Apache-2.0
# weft_model_test(): a program of model tests, and once more for each mutant that it has to catch.
find_program(WEFT_PYTHON python3 HINTS /usr/bin REQUIRED DOC "Python 3.11 or later, for the checks")

set(WEFT_MUTATE ${WEFT_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/mutate.py)
# Being there is enough for a mutant to be tried.
file(GLOB WEFT_MUTANTS CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/mutants/engine/*.mutant)

# weft_model_test(NAME source... [MODULES module...] [LINK library...])
# MODULES are those of src/ that the tests are about, with all that stands between them: what a
# mutated file of theirs is seen by is compiled into the mutant's program, in front of the libraries.
function(weft_model_test name)
  cmake_parse_arguments(arg "" "" "MODULES;LINK" ${ARGN})
  set(sources ${arg_UNPARSED_ARGUMENTS})
  set(libraries weft_model ${arg_LINK})
  foreach(module IN LISTS arg_MODULES)
    list(APPEND libraries weft_${module})
  endforeach()
  weft_test(${name} ${sources} LINK ${libraries} LABELS model)
  target_include_directories(${name}_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})

  set(has_mutants FALSE)
  foreach(mutant IN LISTS WEFT_MUTANTS)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${mutant})
    file(STRINGS ${mutant} test REGEX "^test: ")
    if(test STREQUAL "test: ${name}")
      weft_mutant_test(${mutant} "${sources}" "${arg_MODULES}" "${libraries}")
      set_property(GLOBAL APPEND PROPERTY weft_tried_mutants ${mutant})
      set(has_mutants TRUE)
    endif()
  endforeach()
  if(has_mutants)  # which sources see a mutated file depends on what they include
    foreach(module IN LISTS arg_MODULES)
      file(GLOB_RECURSE files CONFIGURE_DEPENDS
        ${PROJECT_SOURCE_DIR}/src/${module}/*.h ${PROJECT_SOURCE_DIR}/src/${module}/*.cc)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
    endforeach()
  endif()
endfunction()

function(weft_mutant_test mutant sources modules libraries)
  get_filename_component(name ${mutant} NAME_WE)
  set(source_folder ${PROJECT_SOURCE_DIR}/src)
  set(folder ${PROJECT_BINARY_DIR}/mutants/${name})
  execute_process(
    COMMAND ${WEFT_MUTATE} affected ${mutant} --source ${source_folder} --modules ${modules}
    OUTPUT_VARIABLE affected ERROR_VARIABLE error RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${error}")
  endif()

  file(STRINGS ${mutant} file REGEX "^file: ")
  string(REPLACE "file: " "" file "${file}")
  # How it is included, see mutate.py.
  string(REGEX REPLACE "^([^/]+)/.*/\\1/" "\\1/" included_as "${file}")
  set(mutated ${folder}/${included_as})
  add_custom_command(OUTPUT ${mutated}
    COMMAND ${WEFT_MUTATE} plant ${mutant} --source ${source_folder} --into ${folder}
    DEPENDS ${mutant} ${source_folder}/${file} ${CMAKE_CURRENT_SOURCE_DIR}/mutate.py
    COMMENT "Planting ${name}" VERBATIM)

  list(REMOVE_ITEM affected ${file})
  list(TRANSFORM affected PREPEND ${source_folder}/)
  set(program mutant_${name})
  weft_program(${program} ${sources} ${affected} ${mutated} LINK ${libraries} weft_test_options)
  set_target_properties(${program} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  weft_reuse_headers(${program} test HEADERS)
  target_include_directories(${program} BEFORE PRIVATE ${folder})
  target_include_directories(${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  add_dependencies(model_tests ${program})
  add_test(NAME mutant.${name}
    COMMAND ${WEFT_MUTATE} expect-caught ${mutant} $<TARGET_FILE:${program}>)
  set_tests_properties(mutant.${name} PROPERTIES TIMEOUT 120 LABELS model)
endfunction()

# After the last test: there is none that nobody has to catch.
function(weft_expect_all_mutants_tried)
  get_property(tried GLOBAL PROPERTY weft_tried_mutants)
  foreach(mutant IN LISTS WEFT_MUTANTS)
    if(NOT mutant IN_LIST tried)
      message(FATAL_ERROR "${mutant} names no test in its line 'test: …' that exists: name the "
        "weft_model_test() of tests/model/CMakeLists.txt that has to catch it.")
    endif()
  endforeach()
endfunction()
