// call() runs the body of a function of takt.h: it sets the floating-point control word, catches every
// exception, and converts it to a status. fail() stores the text of a failure for takt_last_error() and
// returns its status; the text needs no memory of the heap. The checks of arguments that all functions share
// are here. The file has no function of takt.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "c/handle_table.h"
#include "takt/c/takt.h"
#include "takt/physics/error.h"
#include "takt/physics/float_control.h"
#include "takt/sim/error.h"

namespace takt::c {

/// Names the function that runs on this thread, for fail().
void begin_call(const char* function) noexcept;
/// Stores "<function>: <first><second><third>", cut to its buffer, and returns the status.
takt_status fail(takt_status status, std::string_view first, std::string_view second = {},
                 std::string_view third = {}) noexcept;
[[nodiscard]] const char* last_error_text() noexcept;
/// last_error_text() without the name of the function, for a later fail().
[[nodiscard]] std::string_view failure_text() noexcept;

/// Statuses of errors of the engine, with the text of their message().
takt_status fail(PhysicsError error) noexcept;
takt_status fail(sim::SimError error) noexcept;
takt_status fail(sim::Refusal refusal) noexcept;
/// The status of a handle that cannot be used. `kind` names it: "world".
takt_status fail(AcquireFault fault, std::string_view kind) noexcept;

// Not inlined: the caller holds a FloatControlGuard.
template <class Body>
[[gnu::noinline]] takt_status run_body(Body& body) {
  return body();
}

/// An edit of a recording world that has no room to wait for the next step; nothing has changed.
class RecordingLimit final : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override {
    return "limit recording: edits wait for their recording; step the world";
  }
};

template <class Body>
takt_status call(const char* function, Body&& body) noexcept {
  begin_call(function);
  try {
    FloatControlGuard const guard;
    return run_body(body);
  } catch (const std::bad_alloc&) {
    return fail(TAKT_ERROR_MEMORY, "out of memory: destroy snapshots, worlds or recordings");
  } catch (const std::length_error&) {
    return fail(TAKT_ERROR_MEMORY, "out of memory: a list would be longer than the machine can address");
  } catch (const std::system_error& error) {
    return fail(TAKT_ERROR_SYSTEM, "the system refused: ", error.what());
  } catch (const RecordingLimit& limit) {
    return fail(TAKT_ERROR_LIMIT, limit.what());
  } catch (const std::exception& error) {
    return fail(TAKT_ERROR_INTERNAL, error.what());
  } catch (...) {
    return fail(TAKT_ERROR_INTERNAL, "an unknown exception");
  }
}

/// call() with an object in exclusive use, which `body` gets.
template <class Object, class Body>
takt_status call_with(const char* function, const void* handle, Body&& body) noexcept {
  return call(function, [&] {
    Use<Object> use(handle, Access::kExclusive);
    if (use.fault() != AcquireFault::kNone) return fail(use.fault(), Object::kName);
    return body(*use);
  });
}

/// Destroys the object of a handle; null is no failure.
template <class Object>
takt_status destroy_handle(const char* function, const void* handle) noexcept {
  return call(function, [&] {
    if (handle == nullptr) return takt_status{TAKT_OK};
    Use<Object> use(handle, Access::kExclusive);
    if (use.fault() != AcquireFault::kNone) return fail(use.fault(), Object::kName);
    use.destroy();
    return takt_status{TAKT_OK};
  });
}

/// Bytes that a struct had in the first version of takt.h with it. Programs of that version pass no more.
template <class Struct>
inline constexpr std::size_t kFirstBytes = sizeof(Struct);
template <>
inline constexpr std::size_t kFirstBytes<takt_joint_change> = offsetof(takt_joint_change, direct);

/// Reads a struct of the caller that begins with its size; fields that the caller does not have are 0. A null
/// pointer is accepted and leaves `out`.
template <class Struct>
[[nodiscard]] takt_status read_struct(const Struct* in, Struct& out) noexcept {
  if (in == nullptr) return TAKT_OK;
  std::size_t const size = in->size;
  constexpr std::size_t kMaxBytes = 4096;
  if (size < kFirstBytes<Struct> || size > kMaxBytes)
    return fail(TAKT_ERROR_SIZE, "the member size is not the sizeof of the struct");
  auto const* const bytes = reinterpret_cast<const unsigned char*>(in);
  for (std::size_t i = sizeof(Struct); i < size; ++i) {
    if (bytes[i] != 0) return fail(TAKT_ERROR_SIZE, "a field is set that this version of takt does not have");
  }
  out = {};
  std::memcpy(&out, in, size < sizeof(Struct) ? size : sizeof(Struct));
  return TAKT_OK;
}

/// Checks a struct of the caller that takt fills in.
template <class Struct>
[[nodiscard]] takt_status check_output(const Struct* out) noexcept {
  if (out == nullptr) return fail(TAKT_ERROR_NULL, "the result pointer is null");
  if (out->size < sizeof(Struct))
    return fail(TAKT_ERROR_SIZE, "the member size is not the sizeof of the struct: set it before the call");
  return TAKT_OK;
}

/// Writes a struct of the caller and keeps its size.
template <class Struct>
void write_struct(Struct& value, Struct* out) noexcept {
  value.size = out->size;
  std::memcpy(out, &value, sizeof(Struct));
}

[[nodiscard]] inline takt_status null_argument(std::string_view name) noexcept {
  return fail(TAKT_ERROR_NULL, name, " is null");
}

/// Returns the text of pointer and length, or fails with TAKT_ERROR_NULL or TAKT_ERROR_RANGE.
[[nodiscard]] takt_status read_text(const char* text, std::size_t bytes, std::size_t max_bytes,
                                    std::string_view name, std::string_view& out) noexcept;

}  // namespace takt::c
