#include "sim/comparison/state_comparison.h"

#include <algorithm>

namespace takt::sim {
namespace {

const AnsweredList* find_list(const StateAnswer& answer, const std::string& name) {
  auto const found = std::ranges::find(answer.lists, name, &AnsweredList::name);
  return found == answer.lists.end() ? nullptr : &*found;
}

std::uint64_t hash_at(const std::vector<std::uint64_t>& hashes, std::size_t index) {
  return index < hashes.size() ? hashes[index] : 0;  // 0 = absent, as node_hash() of no children
}

// First index at which two lists of hashes differ; none = equal lists.
std::optional<std::size_t> first_difference(const std::vector<std::uint64_t>& left,
                                            const std::vector<std::uint64_t>& right) {
  std::size_t const end = std::max(left.size(), right.size());
  for (std::size_t i = 0; i < end; ++i)
    if (hash_at(left, i) != hash_at(right, i)) return i;
  return std::nullopt;
}

}  // namespace

std::optional<ContradictoryAnswer> StateComparison::check(const Answers& answers) const {
  for (std::size_t end = 0; end < answers.size(); ++end) {
    if (path_->depth == StateDepth::kWorld || node_hash(*answers[end]) == expected_[end]) continue;
    return ContradictoryAnswer{static_cast<ComparedEnd>(end),
                               {"the answer to '" + path_text(*path_) +
                                "' does not have the hash that the answer before gave for it"}};
  }
  return std::nullopt;
}

std::string message(const StateDivergence& divergence) {
  if (divergence.parts.empty()) return "both ends have equal records and other hashes";
  std::string text;
  for (const StateDifference& field : divergence.fields)
    text += (text.empty() ? "" : "; ") + takt::message(field);
  return text.empty() ? divergence.record : text;
}

Result<Unit, ContradictoryAnswer> StateComparison::handle_answers(const StateAnswer& left,
                                                                  const StateAnswer& right) {
  Answers const answers{&left, &right};
  ++round_trips_;
  if (std::optional<ContradictoryAnswer> wrong = check(answers)) {
    path_.reset();
    return *std::move(wrong);
  }
  switch (path_->depth) {
    case StateDepth::kWorld: descend_to_part(answers); break;
    case StateDepth::kPart: descend_to_block(answers); break;
    case StateDepth::kBlock: descend_to_record(answers); break;
    case StateDepth::kRecord:
      compare_fields(divergence_.record, left.fields, right.fields, max_fields_, divergence_.fields);
      path_.reset();
      break;
  }
  return Unit{};
}

void StateComparison::descend_to_part(const Answers& answers) {
  for (std::size_t i = 0; i < kStatePartCount; ++i) {
    if (hash_at(answers[0]->hashes, i) != hash_at(answers[1]->hashes, i))
      divergence_.parts.push_back(static_cast<StatePart>(i));
  }
  if (divergence_.parts.empty()) {
    path_.reset();
    return;
  }
  path_->depth = StateDepth::kPart;
  path_->part = divergence_.parts.front();
  auto const index = static_cast<std::size_t>(path_->part);
  for (std::size_t end = 0; end < 2; ++end) expected_[end] = hash_at(answers[end]->hashes, index);
}

// The answers have different hashes, so a list differs in its records or in their number.
void StateComparison::descend_to_block(const Answers& answers) {
  static const AnsweredList kAbsent;
  std::vector<std::string> names;
  for (const StateAnswer* const answer : answers)
    for (const AnsweredList& list : answer->lists)
      if (std::ranges::find(names, list.name) == names.end()) names.push_back(list.name);
  for (const std::string& name : names) {
    AnsweredList const* const left = find_list(*answers[0], name);
    AnsweredList const* const right = find_list(*answers[1], name);
    AnsweredList const& l = left != nullptr ? *left : kAbsent;
    AnsweredList const& r = right != nullptr ? *right : kAbsent;
    std::optional<std::size_t> const block = first_difference(l.block_hashes, r.block_hashes);
    if (!block) continue;
    compare_counts(name, l.record_count, r.record_count, divergence_.fields);
    is_list_ = (left != nullptr ? l : r).is_list;
    path_->depth = StateDepth::kBlock;
    path_->list = name;
    path_->block = *block;
    expected_ = {hash_at(l.block_hashes, *block), hash_at(r.block_hashes, *block)};
    return;
  }
  path_.reset();  // equal records in lists of another order: no field differs
}

void StateComparison::descend_to_record(const Answers& answers) {
  // The blocks have different hashes, so a record differs.
  std::size_t const record = first_difference(answers[0]->hashes, answers[1]->hashes).value_or(0);
  path_->depth = StateDepth::kRecord;
  path_->record = static_cast<std::uint32_t>(record);
  expected_ = {hash_at(answers[0]->hashes, record), hash_at(answers[1]->hashes, record)};
  divergence_.record =
      record_path(path_->list, is_list_ ? path_->block * kRecordsPerBlock + record : kNotInList);
}

}  // namespace takt::sim
