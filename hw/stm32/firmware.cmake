# The firmware itself, compiled for the board (cmake/arm-none-eabi.cmake).

set(processor -mcpu=cortex-m7 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard)
# No heap, no exceptions, nothing that runs before main() but constructors; the linker script refuses what comes in.
set(freestanding -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit -fno-unwind-tables
                 -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections)
# Paths relative to the tree, so that an image does not depend on where it was built.
set(reproducible -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)

function(spillway_firmware_options target)
  target_compile_options(${target} PRIVATE ${processor} ${freestanding} ${reproducible} -fstack-usage
    -Wall -Wextra -Wpedantic -Wshadow=local -Wconversion -Wno-sign-conversion)
endfunction()

# The sources of a room, for the board: those of its folder, not of folders in it.
function(spillway_firmware_room name path optimisation)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${path}/*.cpp)
  add_library(firmware_${name} STATIC ${sources})
  target_include_directories(firmware_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  spillway_firmware_options(firmware_${name})
  target_compile_options(firmware_${name} PRIVATE ${optimisation})
endfunction()

spillway_firmware_room(core sim/core -Os)
spillway_firmware_room(int8 hw/kernels/int8 -O2)
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/hw/kernels/int8/arithmetic_dsp.hpp)
  target_compile_definitions(firmware_int8 PRIVATE SPILLWAY_INT8_PORTABLE)
endif()
spillway_firmware_room(execution hw/swap -O2)
spillway_firmware_room(board hw/stm32 -Os)
target_link_libraries(firmware_execution PUBLIC firmware_core firmware_int8)
target_link_libraries(firmware_board PUBLIC firmware_core firmware_execution)

# spillway_firmware_image(NAME SOURCES file... [SYMBOLS name=value...])
# NAME.elf. Symbols are given to the linker script and to the program (hw/stm32/stm32f746.ld).
function(spillway_firmware_image name)
  cmake_parse_arguments(IMAGE "" "" "SOURCES;LINKS;SYMBOLS" ${ARGN})
  set(script ${PROJECT_SOURCE_DIR}/hw/stm32/stm32f746.ld)
  add_executable(${name} ${IMAGE_SOURCES} ${PROJECT_SOURCE_DIR}/hw/stm32/startup.cpp)
  set_target_properties(${name} PROPERTIES SUFFIX .elf LINK_DEPENDS ${script})
  target_link_libraries(${name} PRIVATE firmware_board ${IMAGE_LINKS})
  spillway_firmware_options(${name})
  target_compile_options(${name} PRIVATE -Os)
  list(TRANSFORM IMAGE_SYMBOLS PREPEND -Wl,--defsym=)
  target_link_options(${name} PRIVATE ${processor} -nostartfiles --specs=nano.specs --specs=nosys.specs -T ${script}
    -Wl,--gc-sections,--print-memory-usage,--fatal-warnings,--no-warn-rwx-segments,-Map=${CMAKE_CURRENT_BINARY_DIR}/${name}.map ${IMAGE_SYMBOLS})
endfunction()

spillway_firmware_image(self_test SOURCES ${PROJECT_SOURCE_DIR}/hw/stm32/images/self_test.cpp)

# The energy benchmark, and a short one for tests.
set(SPILLWAY_ITERATIONS 1000 CACHE STRING "Iterations of the energy benchmark")
# Kind 1 computes alone, 2 writes to the card as well.
function(spillway_energy_benchmark name kind iterations)
  spillway_firmware_image(${name} SOURCES ${PROJECT_SOURCE_DIR}/hw/stm32/images/energy_benchmark.cpp
    SYMBOLS benchmark_kind=${kind} benchmark_iterations=${iterations})
endfunction()
spillway_energy_benchmark(in-core 1 ${SPILLWAY_ITERATIONS})
spillway_energy_benchmark(out-of-core 2 ${SPILLWAY_ITERATIONS})
spillway_energy_benchmark(in-core-short 1 3)
spillway_energy_benchmark(out-of-core-short 2 3)

# The images of a network, which runs or is in lockstep: SPILLWAY_NETWORK is the source that `spillway firmware` wrote.
set(SPILLWAY_NETWORK "" CACHE FILEPATH "Source of a network's tables")
set(SPILLWAY_TILE_BUFFERS "256K" CACHE STRING "Memory for tile buffers")
if(SPILLWAY_NETWORK)
  foreach(image network lockstep)
    spillway_firmware_image(${image} SOURCES ${PROJECT_SOURCE_DIR}/hw/stm32/images/${image}.cpp ${SPILLWAY_NETWORK}
      SYMBOLS tile_buffers_size=${SPILLWAY_TILE_BUFFERS})
  endforeach()
endif()

# spillway_other_machine(NAME SCRIPT file PROCESSOR option... SOURCES file... [SYMBOLS name=value...])
# NAME.elf for a machine that others have modelled: another processor, the same sources. SCRIPT is the linker's.
set(machines ${PROJECT_SOURCE_DIR}/tests/hw/stm32)
function(spillway_other_machine name)
  cmake_parse_arguments(IMAGE "" "SCRIPT" "PROCESSOR;SOURCES;SYMBOLS" ${ARGN})
  add_executable(${name} ${IMAGE_SOURCES})
  set_target_properties(${name} PROPERTIES SUFFIX .elf LINK_DEPENDS ${IMAGE_SCRIPT})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${IMAGE_PROCESSOR} -Os ${freestanding} ${reproducible}
    -Wall -Wextra -Wshadow=local -Wconversion -Wno-sign-conversion)
  list(TRANSFORM IMAGE_SYMBOLS PREPEND -Wl,--defsym=)
  target_link_options(${name} PRIVATE ${IMAGE_PROCESSOR} -nostartfiles --specs=nano.specs --specs=nosys.specs
    -T ${IMAGE_SCRIPT} -Wl,--gc-sections,--no-warn-rwx-segments,-Map=${CMAKE_CURRENT_BINARY_DIR}/${name}.map
    ${IMAGE_SYMBOLS})
endfunction()

# The driver of the card.
spillway_other_machine(pl181 SCRIPT ${machines}/pl181/vexpress_a9.ld PROCESSOR -mcpu=cortex-a9 -marm -mfloat-abi=soft
  SOURCES ${machines}/pl181/main.cpp card.cpp card_test.cpp)

# A network with all that its tasks need, the portable kernels, and a driver of its own for a card behind SPI.
if(SPILLWAY_NETWORK)
  set(rooms "")
  foreach(room sim/core hw/swap hw/kernels/int8)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${room}/*.cpp)
    list(APPEND rooms ${sources})
  endforeach()
  file(GLOB program CONFIGURE_DEPENDS ${machines}/lm3s/*.cpp)
  spillway_other_machine(lm3s SCRIPT ${machines}/lm3s/lm3s6965.ld PROCESSOR -mcpu=cortex-m3 -mthumb -mfloat-abi=soft
    SOURCES ${program} card_check.cpp network_tasks.cpp run_record.cpp semihosting.cpp stack.cpp ${rooms}
      ${SPILLWAY_NETWORK}
    SYMBOLS tile_buffers_size=${SPILLWAY_TILE_BUFFERS})
  target_compile_definitions(lm3s PRIVATE SPILLWAY_INT8_PORTABLE)
  set_target_properties(lm3s PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
