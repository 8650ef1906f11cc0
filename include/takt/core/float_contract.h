// This header stops the compilation if the compiler's options could change the bits of floating-point
// results, such as -ffast-math. Takt's build includes it in each source of its targets by -include
// (cmake/TaktFloatFlags.cmake). takt/physics/vector.h and float_control.h include it too, so a user's program
// is checked as well. The header cannot detect -ffp-contract; the build sets that flag for Takt's sources.
// DESIGN.md 2 has all rules for floats.
#pragma once

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || \
    (defined(__GCC_IEC_559) && __GCC_IEC_559 == 0)
#error \
    "takt: fast-math changes the bits that physics computes: compile without -ffast-math, -Ofast and " \
    "the flags they imply"
#endif

#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error \
    "takt: this target computes floats in a wider type (x87?): compile for SSE2 or another target where " \
    "FLT_EVAL_METHOD is 0"
#endif
