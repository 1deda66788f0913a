#pragma once

// Inner loops, the same results from both. SPILLWAY_INT8_PORTABLE asks for the portable ones where there are others.
#if defined(__ARM_FEATURE_DSP) && !defined(SPILLWAY_INT8_PORTABLE)
#include "hw/kernels/int8/arithmetic_dsp.hpp"
#else
#include "hw/kernels/int8/arithmetic_portable.hpp"
#endif
