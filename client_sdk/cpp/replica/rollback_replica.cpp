#include "client_sdk/cpp/replica/rollback_replica.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/comparison/desync_recording.h"
#include "takt/core/assert.h"

namespace takt::client {
namespace {

/// Hashes of either side that wait for the other's: 34 s at 60 Hz.
constexpr std::size_t kHashesMax = 256;
/// States that wait for the server's hash: 8 s at 60 Hz.
constexpr std::size_t kKeptMax = 64;

void insert_bounded(std::map<std::uint64_t, std::uint64_t>& hashes, std::uint64_t tick, std::uint64_t hash) {
  hashes[tick] = hash;
  if (hashes.size() > kHashesMax) hashes.erase(hashes.begin());
}

}  // namespace

RollbackReplica::RollbackReplica(const ReplicaOptions& options)
    : options_(options), buffer_(options.ahead_ticks_max, static_cast<std::uint32_t>(sim::kHashEveryTicks)) {
  TAKT_ASSERT(options.catch_up_ticks >= 1);
}

Result<Unit, sim::SimError> RollbackReplica::restore(std::span<const std::byte> image, sim::PlayerId own,
                                                     std::unique_ptr<sim::Game> game,
                                                     std::uint32_t sequence_offset) {
  auto restored = sim::Simulation::restore(image, std::move(game));
  if (!restored) return restored.error();
  bool const is_repair = has_world() && own == own_;
  ReplicaStats const stats = is_repair ? stats_ : ReplicaStats{};
  clear();
  simulation_ = *std::move(restored);
  own_ = own;
  confirmed_end_ = simulation_->tick();
  sequence_offset_ = sequence_offset;
  stats_ = stats;
  return Unit{};
}

std::optional<protocol::ResumePoint> RollbackReplica::resume_point(std::uint32_t epoch) const {
  if (!simulation_ || own_hashes_.empty() || epoch == 0 || has_diverged_ || has_bad_records_)
    return std::nullopt;
  std::uint64_t const behind_max = simulation_->world().def().tick_rate_hz / 2;
  if (confirmed_end_ > simulation_->tick() + behind_max) return std::nullopt;
  auto const equal = equal_tick_ ? own_hashes_.find(*equal_tick_) : own_hashes_.end();
  auto const [hash_tick, hash] = equal != own_hashes_.end() ? *equal : *own_hashes_.rbegin();
  if (hash_tick == 0 || hash_tick > confirmed_end_) return std::nullopt;
  return protocol::ResumePoint{confirmed_end_, hash_tick, hash, epoch};
}

void RollbackReplica::resume(sim::PlayerId own, std::uint32_t sequence_offset) {
  TAKT_ASSERT(simulation_);
  own_ = own;
  own_inputs_.clear();
  sequence_offset_ = sequence_offset;
}

void RollbackReplica::clear() {
  simulation_.reset();
  buffer_.clear();
  sequence_offset_ = 0;
  std::erase_if(events_, [](const ReplicaEvent& event) { return std::holds_alternative<Diverged>(event); });
  kept_.clear();
  recent_inputs_.clear();
  equal_tick_.reset();
  has_diverged_ = false;
  has_bad_records_ = false;
  confirmed_end_ = 0;
  records_.clear();
  own_inputs_.clear();
  own_hashes_.clear();
  server_hashes_.clear();
  stats_ = {};
}

void RollbackReplica::set_predicts(bool predicts) {
  TAKT_ASSERT(!has_world());
  options_.predicts = predicts;
}

const sim::Simulation& RollbackReplica::simulation() const {
  TAKT_ASSERT(simulation_);
  return *simulation_;
}

// ---------------------------------------------------------------- in

bool RollbackReplica::handle_confirmed(const protocol::ConfirmedBatch& batch) {
  if (!simulation_ || batch.first_tick != confirmed_end_) return false;
  // All of the batch or nothing: the world outlives the session of a bad record.
  std::vector<sim::TickRecord> records;
  std::size_t next = 0;
  for (std::uint64_t tick = batch.first_tick; tick < batch.end_tick; ++tick) {
    std::span<const std::byte> bytes;
    if (next < batch.records.size() && batch.records[next].tick == tick) bytes = batch.records[next++].record;
    auto record = sim::decode_tick_record(tick, bytes);
    has_bad_records_ = !record;
    if (has_bad_records_) return false;
    records.push_back(*std::move(record));
  }
  for (sim::TickRecord& record : records) {
    if (record.hash) take_server_hash(*record.hash);
    for (const sim::Input& input : record.inputs)
      while (input.player == own_ && !own_inputs_.empty() && own_inputs_.front().sequence <= input.sequence)
        own_inputs_.pop_front();
    if (options_.keeps_desync_states) recent_inputs_.add(record);
    records_.push_back(std::move(record));
  }
  confirmed_end_ = batch.end_tick;
  return true;
}

void RollbackReplica::add_input(std::uint64_t tick, std::uint32_t sequence, sim::Command command) {
  own_inputs_.push_back({tick, own_, sequence + sequence_offset_, std::move(command)});
}

void RollbackReplica::drop_input(std::uint32_t sequence) {
  std::erase_if(own_inputs_,
                [&](const sim::Input& input) { return input.sequence == sequence + sequence_offset_; });
}

// ---------------------------------------------------------------- steps

void RollbackReplica::advance(std::uint64_t target_tick, VisualOffsets* offsets) {
  if (!simulation_) return;
  if (offsets != nullptr) offsets->hold(*simulation_);
  // Both poses are of one tick: motion is no error.
  if (correct() && offsets != nullptr) offsets->release(*simulation_);
  step_confirmed();
  if (options_.predicts) step_ahead(target_tick);
  report_messages();
}

// True: ticks that were predicted wrongly were stepped again, up to the same tick.
bool RollbackReplica::correct() {
  if (buffer_.end_tick() != simulation_->tick() || buffer_.first_tick() == buffer_.end_tick()) return false;
  correct_inputs();
  bool const is_corrected = resimulate();
  confirm_held();
  return is_corrected;
}

// Own inputs that have no confirmed tick act in the tick that they are stamped with, or as soon after it as
// is not confirmed: the server moves late ones.
std::vector<sim::Input> RollbackReplica::predicted(std::uint64_t tick) const {
  std::vector<sim::Input> inputs;
  for (const sim::Input& input : own_inputs_) {
    if (std::max(input.tick, confirmed_end_) != tick) continue;
    inputs.push_back(input);
    inputs.back().tick = tick;
  }
  return inputs;
}

void RollbackReplica::correct_inputs() {
  for (std::uint64_t tick = buffer_.first_tick(); tick < buffer_.end_tick(); ++tick) {
    bool const is_confirmed = tick < confirmed_end_;
    if (is_confirmed) {
      TAKT_ASSERT(!records_.empty() && tick >= records_.front().tick);
      auto const& record = records_[static_cast<std::size_t>(tick - records_.front().tick)];
      (void)buffer_.set_inputs(tick, record.inputs);
    } else {
      (void)buffer_.set_inputs(tick, predicted(tick));
    }
  }
}

bool RollbackReplica::resimulate() {
  auto const results = buffer_.resimulate(*simulation_, {.step = options_.step});
  if (results.empty()) return false;
  std::uint64_t const from = results.front().tick;
  ++stats_.rollbacks;
  stats_.resimulated_ticks += results.size();
  stats_.deepest_rollback_ticks = std::max<std::uint64_t>(stats_.deepest_rollback_ticks, results.size());
  events_.emplace_back(RolledBack{from, simulation_->tick()});
  return true;
}

void RollbackReplica::confirm_held() {
  std::uint64_t const end = std::min(confirmed_end_, buffer_.end_tick());
  for (std::uint64_t tick = buffer_.first_tick(); tick < end; ++tick) {
    if (tick % sim::kHashEveryTicks == 0)
      if (auto* const slot = slot_to_keep(tick)) buffer_.take_state(tick, *slot);
    if ((tick + 1) % sim::kHashEveryTicks == 0) note_own_hash(tick + 1, buffer_.hash_after(tick));
    records_.pop_front();
  }
  buffer_.confirm_before(end);
}

void RollbackReplica::step_confirmed() {
  for (std::uint32_t i = 0; i < options_.catch_up_ticks && simulation_->tick() < confirmed_end_; ++i) {
    sim::TickRecord const record = std::move(records_.front());
    records_.pop_front();
    TAKT_ASSERT(record.tick == simulation_->tick());
    bool const is_hashed = (record.tick + 1) % sim::kHashEveryTicks == 0;
    sim::TickResult result =
        simulation_->step(record.inputs, {.step = options_.step, .want_hash = is_hashed});
    if (is_hashed) note_own_hash(result.tick, result.hash);
    if (is_hashed)
      if (auto* const slot = slot_to_keep(result.tick)) simulation_->capture(*slot);
    for (sim::GameMessage& message : result.messages)
      events_.emplace_back(ConfirmedMessage{std::move(message)});
  }
}

void RollbackReplica::step_ahead(std::uint64_t target_tick) {
  for (std::uint64_t tick = simulation_->tick(); tick < target_tick; ++tick) {
    if (tick < confirmed_end_) return;  // still catching up
    if (tick - confirmed_end_ >= options_.ahead_ticks_max) {
      ++stats_.stalled_advances;
      return;
    }
    (void)buffer_.step(*simulation_, predicted(tick), {.step = options_.step});
  }
}

// ---------------------------------------------------------------- out

void RollbackReplica::report_messages() {
  for (sim::GameMessage& message : buffer_.take_messages())
    events_.emplace_back(ConfirmedMessage{std::move(message)});
}

void RollbackReplica::take_server_hash(const sim::StateHash& hash) {
  insert_bounded(server_hashes_, hash.tick, hash.hash);
  compare(hash.tick);
}

void RollbackReplica::note_own_hash(std::uint64_t tick, std::uint64_t hash) {
  insert_bounded(own_hashes_, tick, hash);
  compare(tick);
}

void RollbackReplica::compare(std::uint64_t tick) {
  auto const own = own_hashes_.find(tick);
  auto const server = server_hashes_.find(tick);
  if (own == own_hashes_.end() || server == server_hashes_.end()) return;
  if (own->second == server->second) {
    ++stats_.hashes_equal;
    equal_tick_ = std::max(equal_tick_.value_or(0), tick);
    // The last equal state stays for the report of a desync, which begins with it.
    std::uint64_t const first_used = *equal_tick_ + (options_.keeps_desync_states ? 0 : 1);
    for (Kept& kept : kept_) kept.is_used = kept.is_used && kept.tick >= first_used;
  } else {
    ++stats_.hashes_different;
    has_diverged_ = true;
    events_.emplace_back(Diverged{tick, own->second, server->second});
  }
  server_hashes_.erase(server);
}

sim::SimulationSnapshot* RollbackReplica::slot_to_keep(std::uint64_t tick) {
  if (equal_tick_ && tick + (options_.keeps_desync_states ? 1 : 0) <= *equal_tick_) return nullptr;
  auto slot = std::ranges::find(kept_, false, &Kept::is_used);
  if (slot == kept_.end() && kept_.size() < kKeptMax) {
    kept_.emplace_back();
    slot = std::prev(kept_.end());
  }
  if (slot == kept_.end()) slot = std::ranges::min_element(kept_, {}, &Kept::tick);
  slot->tick = tick;
  slot->is_used = true;
  return &slot->state;
}

bool RollbackReplica::has_forgotten(std::uint64_t tick) const noexcept {
  auto const is_newer = [&](const Kept& kept) { return kept.is_used && kept.tick > tick; };
  return !keeps(tick) && std::ranges::any_of(kept_, is_newer);
}

bool RollbackReplica::keeps(std::uint64_t tick) const noexcept {
  return std::ranges::any_of(kept_, [&](const Kept& kept) { return kept.is_used && kept.tick == tick; });
}

sim::StateAnswer RollbackReplica::answer(std::uint64_t tick, const sim::StatePath& path) const {
  auto const kept =
      std::ranges::find_if(kept_, [&](const Kept& one) { return one.is_used && one.tick == tick; });
  TAKT_ASSERT(kept != kept_.end());
  sim::Simulation shadow = sim::Simulation::make_shadow(simulation());
  shadow.rollback(kept->state);
  return sim::HashTree([&](FieldSink& sink) { shadow.list_fields(sink); }).answer(path);
}

const RollbackReplica::Kept* RollbackReplica::kept_before(std::uint64_t tick) const {
  Kept const* newest = nullptr;
  for (const Kept& kept : kept_)
    if (kept.is_used && kept.tick < tick && (newest == nullptr || kept.tick > newest->tick)) newest = &kept;
  return newest;
}

std::vector<std::byte> RollbackReplica::desync_recording(std::uint64_t tick) const {
  auto const kept =
      std::ranges::find_if(kept_, [&](const Kept& one) { return one.is_used && one.tick == tick; });
  TAKT_ASSERT(kept != kept_.end());
  sim::Simulation shadow = sim::Simulation::make_shadow(simulation());
  sim::DesyncStates states;
  if (Kept const* const earlier = kept_before(tick)) {
    shadow.rollback(earlier->state);
    states.earlier = sim::save_state_of(shadow);
    if (!sim::has_room_for_two(*states.earlier)) states.earlier.reset();
  }
  shadow.rollback(kept->state);
  states.head = sim::head_of(shadow, nullptr, "takt::replica");
  states.differing = sim::save_state_of(shadow);
  return sim::encode_desync(states, recent_inputs_);
}

std::optional<sim::StateHash> RollbackReplica::last_confirmed_hash() const {
  if (own_hashes_.empty()) return std::nullopt;
  return sim::StateHash{own_hashes_.rbegin()->first, own_hashes_.rbegin()->second};
}

std::optional<ReplicaEvent> RollbackReplica::next_event() {
  if (events_.empty()) return std::nullopt;
  ReplicaEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

}  // namespace takt::client
