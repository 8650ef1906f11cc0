// JointGroups finds the groups of bodies that joints connect, directly or through other bodies that impulses
// move. JointGroups also counts the joints of each group and the joints that close a loop. ForestJoint, the
// input, is one joint as an edge between two bodies. EliminationForest builds the groups when the joints or
// the number of bodies change. has_many_loops() decides by the counts whether the point joints of a group are
// solved in colour batches (point_joint_batches.h). Data of a group are stored at its lowest body index. The
// result depends on the list of joints and the number of bodies alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace takt {

/// The input of the elimination forest: one joint as an edge between two bodies.
struct ForestJoint {
  std::uint32_t body_a = 0;  ///< solver index; 0 = does not move under impulses
  std::uint32_t body_b = 0;
  bool direct = true;  ///< may be solved directly in a tree
  bool point = false;  ///< a rigid point joint, which may be solved in a colour batch
  friend bool operator==(const ForestJoint&, const ForestJoint&) = default;
};

class JointGroups {
 public:
  /// Solver indices of bodies are below `body_count` (asserted). Index 0, all bodies that do not move under
  /// impulses, belongs to no group.
  void build(std::span<const ForestJoint> joints, std::uint32_t body_count);

  /// Body count of the last build(); 0 before.
  [[nodiscard]] std::uint32_t body_count() const noexcept {
    return static_cast<std::uint32_t>(roots_.size());
  }
  /// The lowest body index of the group; the body itself when no joint connects it with another moving body.
  [[nodiscard]] std::uint32_t find_root(std::uint32_t body) const noexcept { return roots_[body]; }
  /// True when a joint closes a loop in the group of this body. A repeated body pair is a loop; two joints to
  /// bodies that do not move (index 0) are none.
  [[nodiscard]] bool is_looped(std::uint32_t body) const noexcept { return looped_[roots_[body]] != 0; }
  /// True when the point joints of the group of this body are solved in colour batches. The group then has at
  /// least kMinBatchedLoops loops, and at least one loop per kBatchedJointsPerLoop joints. Repeated body
  /// pairs count once: planks on two point joints each are a chain.
  [[nodiscard]] bool has_many_loops(std::uint32_t body) const noexcept;

 private:
  void subtract_repeated_pairs(std::span<const ForestJoint> joints);

  std::vector<std::uint32_t> roots_;         ///< by body; union-find parents while building
  std::vector<std::uint8_t> looped_;         ///< by root
  std::vector<std::uint32_t> loop_counts_;   ///< by root
  std::vector<std::uint32_t> joint_counts_;  ///< by root
  std::vector<std::uint64_t> pairs_;         ///< scratch: body pairs, ascending
};

}  // namespace takt
