// answer_text() writes a StateAnswer as words of a line, and parse_answer() reads them: the form of answers
// in the line protocol of `takt lockstep-test` (docs/COMMANDS.md has the grammar). parse_answer() reads
// untrusted text: it checks each word, and that the answer has the form of its path. Words are separated by
// single spaces; hashes and values are hexadecimal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/comparison/hash_tree.h"
#include "takt/core/result.h"

namespace takt::sim {

/// Longest record of an answer: a block has 64 hashes, a record at most some hundred fields.
inline constexpr std::size_t kMaxAnsweredFields = 4096;

/// "0x" and 16 digits.
[[nodiscard]] std::string hash_word(std::uint64_t hash);
[[nodiscard]] std::optional<std::uint64_t> parse_hash_word(std::string_view word) noexcept;

/// The words of a line between single spaces; an empty word where two spaces meet.
[[nodiscard]] std::vector<std::string_view> words_of_line(std::string_view line);

/// The answer without its path; empty if it has no children.
[[nodiscard]] std::string answer_text(const StateAnswer& answer);
/// Errors name the path and the word that is wrong.
[[nodiscard]] Result<StateAnswer, ComparisonError> parse_answer(const StatePath& path, std::string_view text);

}  // namespace takt::sim
