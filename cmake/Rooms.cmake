# The rooms of the house and the arrows between them (CONTRIBUTING.md).
#
# A room's headers are reachable only through its target: each target exports an include tree of its own that holds
# nothing but that room. A source file that includes a room which its target does not link does not compile.

# spillway_room(NAME PATH [SOURCES file...] [LINKS target...] [PRIVATE_LINKS target...])
# Makes the library spillway_NAME, alias spillway::NAME, from the sources beside the calling CMakeLists.txt.
# PATH is the room's folder from the top of the tree (`sim/core`); it is also the prefix of its includes.
function(spillway_room name path)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  set(tree ${CMAKE_BINARY_DIR}/rooms/${name})
  get_filename_component(parent ${tree}/${path} DIRECTORY)
  file(REMOVE_RECURSE ${tree})  # from an earlier configuration in which the room had another path
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${path} ${tree}/${path} SYMBOLIC)

  set(target spillway_${name})
  if(ROOM_SOURCES)
    add_library(${target} STATIC ${ROOM_SOURCES})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(spillway::${name} ALIAS ${target})
  target_include_directories(${target} ${scope} ${tree})
  target_link_libraries(${target} ${scope} ${ROOM_LINKS})
  if(ROOM_SOURCES)
    target_link_libraries(${target} PRIVATE ${ROOM_PRIVATE_LINKS})
    spillway_compile_options(${target})
  endif()

  # Every header of the room compiles alone (target all_headers_alone).
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${path}/*.hpp)
  set(units "")
  foreach(header IN LISTS headers)
    get_filename_component(stem ${header} NAME_WE)
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/headers_alone/${name}_${stem}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${path}/${stem}.hpp\"\n" @ONLY)
    list(APPEND units ${unit})
  endforeach()
  if(units)
    add_library(${target}_headers_alone OBJECT EXCLUDE_FROM_ALL ${units})
    target_link_libraries(${target}_headers_alone PRIVATE spillway::${name} ${ROOM_PRIVATE_LINKS})
    spillway_compile_options(${target}_headers_alone)
    if(NOT TARGET all_headers_alone)
      add_custom_target(all_headers_alone)
    endif()
    add_dependencies(all_headers_alone ${target}_headers_alone)
  endif()
endfunction()

# Optimises a room's library across its files and into the programs that link it: the core's steps are short, calls between
# them would take much of their time.
function(spillway_optimise_across_files target)
  include(CheckIPOSupported)
  check_ipo_supported(RESULT supported OUTPUT reason LANGUAGES CXX)
  if(supported AND NOT SPILLWAY_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
    target_compile_options(${target} PRIVATE -O3)
  endif()
endfunction()

# Warnings and sanitizers, the same for every target of ours.
function(spillway_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
  if(SPILLWAY_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${SPILLWAY_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${SPILLWAY_SANITIZE})
  endif()
endfunction()

# Leaves an executable of the full list to the target full_tests.
function(spillway_full_test name)
  if(NOT TARGET full_tests)
    add_custom_target(full_tests)
  endif()
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(full_tests ${name})
endfunction()

# spillway_test(NAME [FULL] [SOURCES file...] [LINKS target...] [FIXTURES fixture...])
# A GoogleTest executable. Its tests carry the label `short` (scripts/test) or, with FULL, `full`
# (scripts/test --full): each test is in exactly one of the two lists. Tests that set the fixtures up run before it.
function(spillway_test name)
  cmake_parse_arguments(TEST "FULL" "" "SOURCES;LINKS;FIXTURES" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE ${TEST_LINKS} spillway::paths GTest::gmock GTest::gtest_main)
  spillway_compile_options(${name})
  if(TEST_FULL)
    set(label full)
    spillway_full_test(${name})
  else()
    set(label short)
  endif()
  set(properties LABELS ${label} TIMEOUT 1800)
  if(TEST_FIXTURES)
    list(APPEND properties FIXTURES_REQUIRED ${TEST_FIXTURES})
  endif()
  if(SPILLWAY_SANITIZE STREQUAL "thread")
    list(APPEND properties ENVIRONMENT TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/thread_sanitizer.txt)
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()
