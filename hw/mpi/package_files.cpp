#include "hw/mpi/package_files.hpp"

namespace spillway::mpi {

const char* package_cmake() {
  return R"(# Builds the program of this package: `cmake -B build && cmake --build build`, then build/inference in an MPI job.
cmake_minimum_required(VERSION 3.16)
project(inference CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

set(SPILLWAY_KERNELS "" CACHE PATH
    "Folder of another library with the interface of library/hw/kernels: a CMake project that makes the target \
spillway_kernels. One that computes on GPUs defines SPILLWAY_KERNELS_ON_GPU for those who link it")
set(SPILLWAY_SYSROOT "" CACHE PATH "Folder of the unpacked packages of another architecture that has Open MPI")

find_package(OpenMP REQUIRED COMPONENTS CXX)
if(SPILLWAY_SYSROOT)
  file(GLOB mpi_library ${SPILLWAY_SYSROOT}/usr/lib/*/libmpi.so.*.*.*)
  file(GLOB system_libraries LIST_DIRECTORIES true ${SPILLWAY_SYSROOT}/usr/lib/*-linux-gnu ${SPILLWAY_SYSROOT}/lib/*-linux-gnu)
  list(JOIN system_libraries ":" search)
  get_filename_component(mpi_folder ${mpi_library} DIRECTORY)
  add_library(MPI::MPI_CXX INTERFACE IMPORTED)
  target_include_directories(MPI::MPI_CXX INTERFACE ${mpi_folder}/openmpi/include)
  target_link_libraries(MPI::MPI_CXX INTERFACE ${mpi_library} "-Wl,-rpath-link,${search},--allow-shlib-undefined")
else()
  find_package(MPI REQUIRED COMPONENTS CXX)
endif()

if(SPILLWAY_KERNELS)
  add_subdirectory(${SPILLWAY_KERNELS} kernels)
else()
  include(library/hw/kernels/options.cmake)
  file(GLOB kernels library/hw/kernels/*.cpp)
  add_library(spillway_kernels STATIC ${kernels})
  target_include_directories(spillway_kernels PUBLIC library)
  target_link_libraries(spillway_kernels PRIVATE OpenMP::OpenMP_CXX)
  spillway_kernel_options(spillway_kernels)
endif()

file(GLOB runtime library/hw/mpi/runtime/*.cpp)
add_executable(inference main.cpp ${runtime})
# It only calls the libraries: optimising it would take its compiler's time and save none of the program's.
set_source_files_properties(main.cpp PROPERTIES COMPILE_OPTIONS -O0)
target_include_directories(inference PRIVATE library)
target_link_libraries(inference PRIVATE spillway_kernels MPI::MPI_CXX OpenMP::OpenMP_CXX)
# Beside the files that it opens.
set_target_properties(inference PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
)";
}

const char* package_presets() {
  return R"({
  "version": 3,
  "configurePresets": [
    {
      "name": "native",
      "binaryDir": "${sourceDir}/build"
    },
    {
      "name": "aarch64",
      "displayName": "Cross build for aarch64; SPILLWAY_SYSROOT: unpacked arm64 packages of libopenmpi-dev and libc6-dev",
      "binaryDir": "${sourceDir}/build-aarch64",
      "cacheVariables": {
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": "aarch64",
        "CMAKE_CXX_COMPILER": "aarch64-linux-gnu-g++",
        "SPILLWAY_SYSROOT": "$env{SPILLWAY_SYSROOT}"
      }
    }
  ]
}
)";
}

const char* package_readme() {
  return R"(# {model} on {device}

This device's part of a network that is split over {count} MPI processes:

{ranks}
Build here, with a C++17 compiler, CMake, Open MPI and OpenMP (for another processor: `cmake --preset aarch64`):

    cmake -B build && cmake --build build

Then, on the device from which the job is started, with the packages of all devices built and lying in the same folder:

    mpirun --hostfile hostfile --rankfile rankfile ./inference --input FILE --results DIR

`./inference --help` lists what it takes. FILE holds raw float32 numbers, one frame behind the other. DIR gets each result
as raw float32 numbers, from the rank that has it, and the timings (rank_N.csv) and memory (rank_N_memory.csv) of each
rank. When a rank fails, a message says which one, on which device, in which layer, and the job ends.

main.cpp is the program of all devices; the other files:

- KEY.onnx: the sub-model, for other tools; KEY.weights: its numbers as the program maps them
- rankfile, hostfile: which rank runs on which cores of which device
- library: the run-time library (MIT licence) and the headers of Eigen that it needs (Mozilla Public License 2.0)
)";
}

}  // namespace spillway::mpi
