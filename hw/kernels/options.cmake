# How the kernels are compiled, here and in the programs that are generated for devices.

# spillway_kernel_options(target): fast code whose bits depend on nothing but the source and the machine's kind.
# SPILLWAY_KERNEL_MARCH: the machine's kind as -march wants it; empty: the compiler's own default. Named levels rather
# than `native`, so that one build serves every machine of the level.
function(spillway_kernel_options target)
  if(NOT DEFINED SPILLWAY_KERNEL_MARCH)
    set(level "")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT CMAKE_CROSSCOMPILING AND EXISTS /proc/cpuinfo)
      file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
      if(flags MATCHES "avx512f" AND flags MATCHES "avx512bw" AND flags MATCHES "avx512cd" AND flags MATCHES "avx512dq"
         AND flags MATCHES "avx512vl")
        set(level x86-64-v4)
      elseif(flags MATCHES "avx2" AND flags MATCHES "fma" AND flags MATCHES "bmi2")
        set(level x86-64-v3)
      endif()
    endif()
    set(SPILLWAY_KERNEL_MARCH "${level}" CACHE STRING "Machine of the float32 kernels, as -march wants it")
  endif()
  # No contraction of the compiler's choice: the sources say where a product and a sum are rounded once.
  target_compile_options(${target} PRIVATE -O3 -ffp-contract=off)
  if(SPILLWAY_KERNEL_MARCH)
    target_compile_options(${target} PRIVATE -march=${SPILLWAY_KERNEL_MARCH})
  endif()
endfunction()
