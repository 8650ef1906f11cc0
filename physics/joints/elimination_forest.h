// Which joints are solved directly together: a forest over the bodies that move under impulses, its trees
// taken from the leaves, so that factoring fills nothing in (block_ldlt.h). Joints that would close a loop,
// or do not want to, stand alone. Where many close loops the balls and sockets are woven
// (point_joint_batches.h) and neither. A pure function of the joints in id order.
#pragma once

#include <cstdint>
#include <vector>

namespace takt {

/// A joint as the forest sees it: the solver's places of its bodies that move, 0 = does not.
struct ForestJoint {
  std::uint32_t body_a = 0;
  std::uint32_t body_b = 0;
  bool direct = true;
  bool ball = false;  ///< can be woven
  friend bool operator==(const ForestJoint&, const ForestJoint&) = default;
};

/// Joints of one body that a tree holds at most: they all couple, which costs their number cubed. Further
/// ones stand alone.
inline constexpr std::uint32_t kMaxTreeJointsPerBody = 24;

class JointForest {
 public:
  /// `body_count`: of the solver's places. What is built already is kept.
  void build(const std::vector<ForestJoint>& joints, std::uint32_t body_count);

  /// Whether the joint at a place of the list is woven.
  [[nodiscard]] bool is_batched(std::size_t joint) const noexcept { return kinds_[joint] == Kind::kBatched; }
  /// Other joints (by their place in the list) in the order of elimination; those alone come last, in the
  /// order of the list.
  [[nodiscard]] const std::vector<std::uint32_t>& order() const noexcept { return order_; }
  /// The first of order() that stands alone.
  [[nodiscard]] std::uint32_t first_loop_closing() const noexcept { return scalar_; }
  /// The body on which the joint at a place of order() before alone() hangs: those of upper() are joints of
  /// it.
  [[nodiscard]] std::uint32_t pivot(std::uint32_t index) const noexcept { return pivot_[order_[index]]; }
  /// One past each tree's last place in order(), ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& tree_ends() const noexcept { return tree_ends_; }
  /// The least body that joints hold together with this one, in the trees or not; itself when none do.
  [[nodiscard]] std::uint32_t group_of(std::uint32_t body) const noexcept { return groups_[body]; }
  /// Whether a joint outside the trees closes a loop among the bodies that joints hold together with this
  /// one.
  [[nodiscard]] bool is_looped(std::uint32_t body) const noexcept { return looped_[groups_[body]] != 0; }
  /// For the joint at a place of order() before alone(): the later places that it couples with, ascending.
  /// Replaces `out`.
  void upper(std::uint32_t index, std::vector<std::uint32_t>& out) const;

 private:
  enum class Kind : std::uint8_t { kScalar, kTree, kBatched };

  [[nodiscard]] std::uint32_t find_root(std::uint32_t body) noexcept;
  bool unite(std::uint32_t a, std::uint32_t b) noexcept;
  void find_groups();
  void leave_out_repeats();
  void choose();
  void list_bodies();

  std::vector<ForestJoint> joints_;
  std::uint32_t body_count_ = 0;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> tree_ends_;
  std::uint32_t scalar_ = 0;
  std::vector<Kind> kinds_;           ///< by joint
  std::vector<std::uint32_t> pivot_;  ///< by joint: the body on whose joints it depends when it is eliminated
  std::vector<std::uint32_t> indices_;       ///< by joint: in order_
  std::vector<std::uint32_t> parents_;       ///< by body, for the search of loops
  std::vector<std::uint32_t> groups_;        ///< by body
  std::vector<std::uint8_t> looped_;         ///< by body: true of the least of a group that has a loop
  std::vector<std::uint32_t> loop_counts_;   ///< by body, of the least of a group, where many without those
                                             ///< that repeat a pair of bodies
  std::vector<std::uint32_t> joint_counts_;  ///< by body, of the least of a group
  std::vector<std::uint64_t> pairs_;         ///< of bodies, ascending
  std::vector<std::uint32_t> degrees_;       ///< by body
  std::vector<std::uint32_t> first_joints_;  ///< by body: in body_joints_
  std::vector<std::uint32_t> body_joints_;
  std::vector<std::uint32_t> queue_;      ///< bodies, breadth first
  std::vector<std::uint32_t> to_parent_;  ///< by body: the joint to its parent
  std::vector<std::uint8_t> seen_;
};

}  // namespace takt
