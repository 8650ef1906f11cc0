#include "sim/comparison/hash_tree.h"

#include <algorithm>
#include <span>
#include <utility>

#include "takt/core/assert.h"
#include "takt/core/bytes.h"
#include "takt/core/hash.h"

namespace takt::sim {
namespace {

std::uint64_t hash_of(std::span<const std::uint64_t> hashes) {
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  for (std::uint64_t const hash : hashes) out.put(hash);
  return hash_bytes(bytes);
}

std::span<const std::uint64_t> block_of(const RecordList& list, std::uint64_t block) {
  std::size_t const begin = std::min<std::size_t>(block * kRecordsPerBlock, list.hashes.size());
  return std::span(list.hashes).subspan(begin, std::min(kRecordsPerBlock, list.hashes.size() - begin));
}

}  // namespace

std::uint64_t node_hash(const StateAnswer& answer) {
  if (!answer.hashes.empty()) return hash_of(answer.hashes);
  if (!answer.lists.empty()) {
    std::vector<std::uint64_t> hashes;
    for (const AnsweredList& list : answer.lists) {
      hashes.push_back(hash_bytes(std::as_bytes(std::span(list.name))));
      hashes.push_back(list.record_count);
      hashes.insert(hashes.end(), list.block_hashes.begin(), list.block_hashes.end());
    }
    return hash_of(hashes);
  }
  if (answer.fields.empty()) return 0;
  RecordHasher hasher;
  hasher.begin_record("", kNotInList);
  for (const ListedField& field : answer.fields)
    hasher.field({field.name, field.kind, field.bits, field.text});
  hasher.end_record();
  return hasher.lists().front().hashes.front();
}

HashTree::HashTree(FieldSource source) : source_(std::move(source)) {
  RecordHasher hasher;
  source_(hasher);
  lists_ = hasher.lists();
  for (const RecordList& list : lists_) TAKT_ASSERT(part_of(list.name).has_value());
}

StateAnswer HashTree::answer_part(StatePart part) const {
  StateAnswer answer;
  for (const RecordList& list : lists_) {
    if (part_of(list.name) != part) continue;
    AnsweredList answered{list.name, list.is_list, list.hashes.size(), {}};
    for (std::size_t block = 0; block * kRecordsPerBlock < list.hashes.size(); ++block)
      answered.block_hashes.push_back(hash_of(block_of(list, block)));
    answer.lists.push_back(std::move(answered));
  }
  return answer;
}

StateAnswer HashTree::answer(const StatePath& path) const {
  StateAnswer answer;
  if (path.depth == StateDepth::kWorld) {
    for (std::size_t part = 0; part < kStatePartCount; ++part)
      answer.hashes.push_back(node_hash(answer_part(static_cast<StatePart>(part))));
    return answer;
  }
  if (path.depth == StateDepth::kPart) return answer_part(path.part);
  auto const list = std::ranges::find(lists_, path.list, &RecordList::name);
  if (list == lists_.end()) return answer;
  std::span<const std::uint64_t> const block = block_of(*list, path.block);
  if (path.depth == StateDepth::kBlock) {
    answer.hashes.assign(block.begin(), block.end());
  } else if (path.record < block.size()) {
    std::uint64_t const index = list->is_list ? path.block * kRecordsPerBlock + path.record : kNotInList;
    RecordLister lister({{path.list, index, {}}});
    source_(lister);
    answer.fields = lister.records().front().fields;
  }
  return answer;
}

}  // namespace takt::sim
