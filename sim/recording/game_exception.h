// game_exception_of() calls a function that runs a Game, and returns the text of the exception that the
// function threw. It does not tell the Game's exceptions from others: the engine throws std::bad_alloc alone,
// which passes. A simulation whose step threw is between two ticks and must be discarded.
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace takt::sim {

/// The text of the exception; none = the call returned.
template <class Call>
[[nodiscard]] std::optional<std::string> game_exception_of(Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& thrown) {
    return thrown.what();
  } catch (...) {
    return "an exception without text";
  }
  return std::nullopt;
}

}  // namespace takt::sim
