#include "c/call.h"

#include <algorithm>
#include <array>

namespace takt::c {
namespace {

struct ErrorText {
  const char* function = "takt";
  std::array<char, 1024> text{};
};
thread_local ErrorText error_text;

}  // namespace

void begin_call(const char* function) noexcept { error_text.function = function; }

takt_status fail(takt_status status, std::string_view first, std::string_view second,
                 std::string_view third) noexcept {
  std::array<char, 1024>& text = error_text.text;
  std::size_t used = 0;
  for (std::string_view const part :
       {std::string_view(error_text.function), std::string_view(": "), first, second, third}) {
    std::size_t const count = std::min(part.size(), text.size() - 1 - used);
    std::copy_n(part.data(), count, text.data() + used);
    used += count;
  }
  text[used] = '\0';
  return status;
}

const char* last_error_text() noexcept { return error_text.text.data(); }

std::string_view failure_text() noexcept {
  std::string_view const text(last_error_text());
  std::size_t const end = text.find(": ");
  return text.substr(end == std::string_view::npos ? 0 : end + 2);
}

takt_status fail(PhysicsError error) noexcept {
  return fail(TAKT_ERROR_PHYSICS + static_cast<takt_status>(error), message(error));
}
takt_status fail(sim::SimError error) noexcept {
  return fail(TAKT_ERROR_SIM + static_cast<takt_status>(error), message(error));
}
takt_status fail(sim::Refusal refusal) noexcept {
  if (refusal == sim::Refusal::kNone) return TAKT_OK;
  return fail(TAKT_ERROR_REFUSED + static_cast<takt_status>(refusal), message(refusal));
}

takt_status fail(AcquireFault fault, std::string_view kind) noexcept {
  switch (fault) {
    case AcquireFault::kNone: return TAKT_OK;
    case AcquireFault::kNull: return fail(TAKT_ERROR_NULL, "the handle is null: expected a ", kind);
    case AcquireFault::kBusy:
      return fail(TAKT_ERROR_BUSY, "another thread uses the ", kind, ": give each thread its own");
    case AcquireFault::kUnknown: break;
  }
  return fail(TAKT_ERROR_HANDLE, "the handle is destroyed or foreign: expected a ", kind);
}

takt_status read_text(const char* text, std::size_t bytes, std::size_t max_bytes, std::string_view name,
                      std::string_view& out) noexcept {
  if (text == nullptr) return null_argument(name);
  if (bytes > max_bytes) return fail(TAKT_ERROR_RANGE, name, " is too long");
  out = {text, bytes};
  return TAKT_OK;
}

}  // namespace takt::c
