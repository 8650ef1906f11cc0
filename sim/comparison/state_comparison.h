// StateComparison finds the first record in which two states differ, by the answers of two ends that hold
// them (sim/comparison/hash_tree.h). It takes one round trip for equal states and four for others. Each round
// asks both ends the path of poll_path(). An end on the same machine answers by HashTree. The class does no
// I/O. Every answer is checked against the hash that its parent gave, so an end that contradicts itself is
// named.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/comparison/hash_tree.h"
#include "sim/comparison/state_path.h"
#include "takt/core/result.h"
#include "takt/core/state_fields.h"

namespace takt::sim {

enum class ComparedEnd : std::uint8_t { kLeft, kRight };

/// An answer that its end cannot have computed.
struct ContradictoryAnswer {
  ComparedEnd end = ComparedEnd::kLeft;
  ComparisonError error;
};

/// The result of a comparison.
struct StateDivergence {
  std::vector<StatePart> parts;         ///< all that differ; empty = equal states
  std::string record;                   ///< the first that differs: "body.record[17]"
  std::vector<StateDifference> fields;  ///< of the lengths of its list and of the record
};

/// The fields in which two states differ, with "; " between them; or the record, or the reason for the
/// absence of both.
[[nodiscard]] std::string message(const StateDivergence& divergence);

class StateComparison {
 public:
  /// `max_fields` bounds StateDivergence::fields.
  explicit StateComparison(std::size_t max_fields = 16) : max_fields_(max_fields) {}

  /// The path that both ends must answer now; none = finished.
  [[nodiscard]] const std::optional<StatePath>& poll_path() const noexcept { return path_; }
  /// Answers of both ends to poll_path(). After an error the comparison is finished without a result.
  Result<Unit, ContradictoryAnswer> handle_answers(const StateAnswer& left, const StateAnswer& right);

  [[nodiscard]] std::uint32_t round_trips() const noexcept { return round_trips_; }
  /// The result, once the comparison finished without an error.
  [[nodiscard]] const StateDivergence& divergence() const noexcept { return divergence_; }

 private:
  using Answers = std::array<const StateAnswer*, 2>;
  [[nodiscard]] std::optional<ContradictoryAnswer> check(const Answers& answers) const;
  void descend_to_part(const Answers& answers);
  void descend_to_block(const Answers& answers);
  void descend_to_record(const Answers& answers);

  std::size_t max_fields_;
  std::optional<StatePath> path_ = StatePath{};
  std::array<std::uint64_t, 2> expected_{};  // hash of the node at path_, by its parent
  bool is_list_ = true;
  std::uint32_t round_trips_ = 0;
  StateDivergence divergence_;
};

}  // namespace takt::sim
