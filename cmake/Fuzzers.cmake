# libFuzzer targets (SPILLWAY_FUZZERS, clang only).

if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "SPILLWAY_FUZZERS needs clang (the preset `fuzz` chooses it); "
                      "the compiler is ${CMAKE_CXX_COMPILER_ID}")
endif()

# spillway_fuzzer(NAME SOURCES file... LINKS target... CORPUS folder... RUNS count [DICTIONARY file])
# A libFuzzer executable, and a test (label `full`) that gives it RUNS inputs from a fixed seed, starting from the files
# of the CORPUS folders. New inputs go to the build directory; those worth keeping are copied to the corpus by hand.
# The rooms of LINKS are instrumented for coverage.
function(spillway_fuzzer name)
  cmake_parse_arguments(FUZZER "" "RUNS;DICTIONARY" "SOURCES;LINKS;CORPUS" ${ARGN})
  add_executable(${name} ${FUZZER_SOURCES})
  target_link_libraries(${name} PRIVATE ${FUZZER_LINKS})
  spillway_compile_options(${name})
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  foreach(link IN LISTS FUZZER_LINKS)
    get_target_property(room ${link} ALIASED_TARGET)
    if(room)
      target_compile_options(${room} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
  endforeach()

  set(found ${CMAKE_CURRENT_BINARY_DIR}/${name}_found)
  set(options -runs=${FUZZER_RUNS} -seed=1 -max_len=4096 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1)
  if(FUZZER_DICTIONARY)
    list(APPEND options -dict=${FUZZER_DICTIONARY})
  endif()
  list(JOIN options " " options)
  list(JOIN FUZZER_CORPUS " " corpus)
  add_test(NAME ${name} COMMAND sh -c
    "rm -rf ${found} && mkdir -p ${found} && $<TARGET_FILE:${name}> ${options} ${found} ${corpus}")
  set_tests_properties(${name} PROPERTIES LABELS full TIMEOUT 1800)
endfunction()
