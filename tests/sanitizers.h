// kIsSanitized is true in a build with a sanitizer (TAKT_SANITIZE), whose programs run 5 to 20 times slower:
// a test runs for a shorter time there, or does not judge times. TAKT_TEST_HAS_SYSTEM_HEAP is 1 when the heap
// is that of the C library: mallinfo2() counts its bytes, and a lack of memory is an exception.
// AddressSanitizer and ThreadSanitizer replace the heap, count nothing there and end the process without
// memory. So a build with one of them leaves out the tests of these two things.
#pragma once

#if defined(__has_feature)
#define TAKT_TEST_HAS_FEATURE(name) __has_feature(name)
#else
#define TAKT_TEST_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    TAKT_TEST_HAS_FEATURE(address_sanitizer) || TAKT_TEST_HAS_FEATURE(thread_sanitizer)
#define TAKT_TEST_HAS_SYSTEM_HEAP 0
#else
#define TAKT_TEST_HAS_SYSTEM_HEAP 1
#endif

namespace takt::test {

inline constexpr bool kIsSanitized =
    TAKT_TEST_HAS_SYSTEM_HEAP == 0 || TAKT_TEST_HAS_FEATURE(undefined_behavior_sanitizer);

}  // namespace takt::test
