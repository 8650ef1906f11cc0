// Calls libm on purpose: the symbol check must find it.
#include <cmath>

float planted_sine(float angle) { return std::sin(angle); }
