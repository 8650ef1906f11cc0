// HashTree is the tree of hashes of a state: world -> 9 parts -> blocks of 64 records of each list -> record.
// answer() returns the children of a node: hashes, or the fields of a record. Two ends find the record that
// differs by their answers to four paths (sim/comparison/state_comparison.h). The tree is a Merkle tree (R.
// Merkle, 1979); it is computed when a difference is searched, never in a tick. Its hashes are no state
// hashes: they exist to compare two ends of one version of Takt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/comparison/state_path.h"
#include "takt/core/state_fields.h"

namespace takt::sim {

/// A list of a part: the number of its records, and the hash of each block.
struct AnsweredList {
  std::string name;
  bool is_list = true;  ///< false: one record that is no element of a list
  std::uint64_t record_count = 0;
  std::vector<std::uint64_t> block_hashes;
  friend bool operator==(const AnsweredList&, const AnsweredList&) = default;
};

/// Children of a node. One of the three lists is used, by the depth of the path; a node that the state lacks
/// has no children.
struct StateAnswer {
  std::vector<std::uint64_t> hashes;  ///< of the 9 parts, or of the records of a block
  std::vector<AnsweredList> lists;    ///< of a part, in visiting order
  std::vector<ListedField> fields;    ///< of a record, in visiting order
  friend bool operator==(const StateAnswer&, const StateAnswer&) = default;
};

/// Hash of the node that the answer belongs to, computed from its children; 0 without children.
[[nodiscard]] std::uint64_t node_hash(const StateAnswer& answer);

class HashTree {
 public:
  /// Lists the state at once, and again for each record that answer() returns: `source` and its state must
  /// not change while the tree is used.
  explicit HashTree(FieldSource source);

  [[nodiscard]] std::uint64_t root_hash() const { return node_hash(answer({})); }
  [[nodiscard]] StateAnswer answer(const StatePath& path) const;

 private:
  [[nodiscard]] StateAnswer answer_part(StatePart part) const;

  FieldSource source_;
  std::vector<RecordList> lists_;
};

}  // namespace takt::sim
