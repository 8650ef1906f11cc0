// This header refuses, at compile time, options that would let the compiler change the bits of floating-point
// results: the compiler's half of the floating-point contract (DESIGN.md 2). Takt's build force-includes it
// in every source. Public headers whose inline code computes in Real include it, so it binds a user's program
// too. It cannot detect -ffp-contract; cmake/TaktFloatFlags.cmake sets that flag for Takt's sources.
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
