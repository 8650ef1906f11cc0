#include "server/shadow_world.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "server/world_view.h"
#include "takt/core/assert.h"
#include "takt/core/overload.h"

namespace takt::server {

ShadowWorld::ShadowWorld(const ShadowOptions& options) : options_(options), queries_(options.query_budget) {
  TAKT_ASSERT(options.snapshots_max >= 4);
}

ShadowWorld::~ShadowWorld() {
  {
    Lock const lock(mutex_);
    is_stopping_ = true;
  }
  work_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// ---------------------------------------------------------------- live side

void ShadowWorld::start_thread() {
  TAKT_ASSERT(!thread_.joinable());
  thread_ = std::thread([this] { run_thread(); });
}

void ShadowWorld::enter(const sim::Simulation& live, std::uint32_t epoch) {
  Lock lock(mutex_);
  std::uint64_t const old_tick = newest_tick_.value_or(0);
  wait_until_idle(lock);
  for (Request& request : std::exchange(requests_, {}))
    if (auto* query = std::get_if<protocol::QueryArrived>(&request))
      queries_.handle(std::move(*query), epoch_, old_tick);
  queries_.refuse_all(old_tick);
  has_waiting_ = true;  // the refusals
  for (auto& slot : slots_) *slot = Slot{std::move(slot->snapshot)};
  inside_.reset();
  probes_.clear();
  results_.probes.clear();
  report_requests_.clear();
  results_.reports.clear();
  results_.hashes.clear();
  results_.inside.reset();
  results_.ropes.reset();
  results_.join_image.reset();
  results_.is_join_image_lost = false;
  newest_tick_.reset();
  capture_until_tick_ = 0;
  tick_rate_hz_ = live.world().def().tick_rate_hz;
  epoch_ = epoch;
  shadow_ = sim::Simulation::make_shadow(live);
  shadow_tick_.reset();
}

void ShadowWorld::set_max_query_length_m(double max_length_m) {
  Lock lock(mutex_);
  wait_until_idle(lock);
  queries_.set_max_length_m(max_length_m);
}

void ShadowWorld::set_observer(TickObserver* observer) {
  Lock lock(mutex_);
  wait_until_idle(lock);
  observer_ = observer;
}

void ShadowWorld::handle_query(protocol::QueryArrived&& query, std::uint64_t tick) {
  Lock const lock(mutex_);
  is_asked_ = true;
  // A query that waits keeps the tick that it named: the limit is that of its arrival.
  if (query.request.at_tick != 0)
    query.request.at_tick = std::max(query.request.at_tick, tick - std::min(tick, rewind_ticks()));
  if (requests_.size() < options_.requests_max) {
    requests_.emplace_back(std::move(query));
    return;
  }
  results_.replies.push_back(
      {query.player,
       {query.request.request, protocol::QueryStatus::kRefusedBusy, newest_tick_.value_or(0), {}, {}}});
}

void ShadowWorld::handle_probe(StateProbe probe) {
  {
    Lock const lock(mutex_);
    probes_.push_back(std::move(probe));
  }
  work_.notify_one();
}

void ShadowWorld::handle_report(ReportRequest request) {
  {
    Lock const lock(mutex_);
    report_requests_.push_back(std::move(request));
  }
  work_.notify_one();
}

void ShadowWorld::forget(protocol::PlayerId player) {
  Lock const lock(mutex_);
  std::erase_if(probes_, [&](const StateProbe& probe) { return probe.player == player; });
  std::erase_if(results_.replies, [&](const QueryReply& reply) { return reply.player == player; });
  requests_.emplace_back(Forget{player});
}

bool ShadowWorld::needs_capture(std::uint64_t tick, const Wanted& wanted) const {
  return wanted.hash || wanted.image || wanted.join_image || wanted.inside || wanted.ropes || is_asked_ ||
         has_waiting_ || !requests_.empty() || tick < capture_until_tick_;
}

void ShadowWorld::end_tick(const sim::Simulation& live, const Wanted& wanted,
                           const Inspections& inspections) {
  TAKT_ASSERT(shadow_);  // enter() comes first
  std::uint64_t const tick = live.tick();
  {
    Lock lock(mutex_);
    if (!needs_capture(tick, wanted)) return;
    if (std::exchange(is_asked_, false))
      capture_until_tick_ = tick + std::uint64_t{options_.captures_after_s} * tick_rate_hz_;
    if (newest_tick_ != tick) {
      Slot& slot = slot_to_write();
      slot.is_busy = true;
      lock.unlock();
      live.capture(slot.snapshot);
      lock.lock();
      slot.is_busy = false;
      slot.is_valid = true;
      slot.tick = tick;
      newest_tick_ = tick;
    }
    Slot* const slot = nearest_slot(tick);
    TAKT_ASSERT(slot != nullptr && slot->tick == tick);
    slot->wants_hash = slot->wants_hash || wanted.hash;
    slot->wants_image = slot->wants_image || wanted.image;
    slot->wants_join_image = slot->wants_join_image || wanted.join_image;
    if (wanted.probes) slot->keep_until_tick = tick + kProbeS * tick_rate_hz_;
    if (wanted.inside || wanted.ropes) {
      // A request that the worker has not begun is replaced, but what it wanted stays wanted.
      bool const has_waiting = inside_.has_value();
      inside_ = InsideRequest{tick, inspections, wanted.inside || (has_waiting && inside_->wants_inside),
                              wanted.ropes || (has_waiting && inside_->wants_ropes)};
    }
    is_answer_due_ = true;
  }
  work_.notify_one();
}

// A slot that nobody needs, or a new one, or else the oldest.
ShadowWorld::Slot& ShadowWorld::slot_to_write() {
  std::uint64_t const newest = newest_tick_.value_or(0);
  auto const is_needed = [&](const Slot& slot) {
    bool const is_recent = newest < capture_until_tick_ && slot.tick + rewind_ticks() + kWaitTicks >= newest;
    return slot.is_valid && (slot.wants_hash || slot.wants_image || slot.wants_join_image || is_recent ||
                             slot.tick == newest || slot.keep_until_tick > newest);
  };
  Slot* free = nullptr;
  Slot* oldest = nullptr;
  for (auto const& slot : slots_) {
    if (slot->is_busy) continue;
    // A recording needs its images more than hashes and probes are needed.
    if (oldest == nullptr ||
        std::pair(slot->wants_image, slot->tick) < std::pair(oldest->wants_image, oldest->tick))
      oldest = slot.get();
    if (!is_needed(*slot) && (free == nullptr || slot->tick < free->tick)) free = slot.get();
  }
  if (free == nullptr && slots_.size() < options_.snapshots_max)
    free = slots_.emplace_back(std::make_unique<Slot>()).get();
  if (free == nullptr) {
    free = oldest;
    skipped_hashes_ += free->wants_hash ? 1 : 0;
    results_.is_join_image_lost = results_.is_join_image_lost || free->wants_join_image;
  }
  free->is_valid = free->wants_hash = free->wants_image = free->wants_join_image = false;
  free->keep_until_tick = 0;
  return *free;
}

std::uint64_t ShadowWorld::rewind_ticks() const noexcept {
  return std::uint64_t{options_.rewind_ms} * tick_rate_hz_ / 1000;
}

ShadowWorld::Results ShadowWorld::take_results() {
  Lock const lock(mutex_);
  return std::exchange(results_, {});
}

bool ShadowWorld::is_behind() {
  Lock const lock(mutex_);
  return lowest_slot(&Slot::wants_hash) != nullptr || lowest_slot(&Slot::wants_image) != nullptr;
}

std::uint64_t ShadowWorld::skipped_hash_count() const {
  Lock const lock(mutex_);
  return skipped_hashes_;
}

void ShadowWorld::run() {
  Lock lock(mutex_);
  TAKT_ASSERT(!thread_.joinable());
  for (Job job = next_job(); job != Job::kNone; job = next_job()) do_job(job, lock);
}

void ShadowWorld::drain() {
  Lock lock(mutex_);
  wait_until_idle(lock);
  while (lowest_slot(&Slot::wants_hash) != nullptr || lowest_slot(&Slot::wants_image) != nullptr) {
    if (thread_.joinable()) {
      idle_.wait(lock);
    } else {
      do_job(next_job(), lock);
    }
  }
}

void ShadowWorld::wait_until_idle(Lock& lock) {
  idle_.wait(lock, [this] { return !is_working_; });
}

// ---------------------------------------------------------------- worker

void ShadowWorld::run_thread() {
  // On Linux a nice value is a thread's own. Ticks come first where threads share a core.
  constexpr int kNicer = 10;
  (void)::nice(kNicer);
  Lock lock(mutex_);
  for (;;) {
    Job job = Job::kNone;
    work_.wait(lock, [&] { return is_stopping_ || (job = next_job()) != Job::kNone; });
    if (is_stopping_) return;
    do_job(job, lock);
  }
}

ShadowWorld::Slot* ShadowWorld::nearest_slot(std::uint64_t tick) {
  Slot* best = nullptr;
  auto const distance = [&](const Slot& slot) {
    return slot.tick > tick ? slot.tick - tick : tick - slot.tick;
  };
  for (auto const& slot : slots_) {
    if (!slot->is_valid) continue;
    if (best == nullptr || distance(*slot) < distance(*best) ||
        (distance(*slot) == distance(*best) && slot->tick > best->tick))
      best = slot.get();
  }
  return best;
}

ShadowWorld::Slot* ShadowWorld::lowest_slot(bool Slot::*wants) {
  Slot* best = nullptr;
  for (auto const& slot : slots_)
    if (slot->is_valid && (*slot).*wants && (best == nullptr || slot->tick < best->tick)) best = slot.get();
  return best;
}

// Hashes are cheap and come first, so that none is given up; images take longest and come last, but not for
// ever. A viewer may want a list in each tick, so joins go before it. A join image is wanted one at a time,
// so lists and reports have their turn between two.
ShadowWorld::Job ShadowWorld::next_job() {
  if (lowest_slot(&Slot::wants_hash) != nullptr) return Job::kHash;
  Slot const* const image = lowest_slot(&Slot::wants_image);
  if (image != nullptr && image->tick + kImageWaitTicks <= *newest_tick_) return Job::kImage;
  if (is_answer_due_ && (has_waiting_ || !requests_.empty())) return Job::kQueries;
  if (!probes_.empty()) return Job::kProbe;
  if (lowest_slot(&Slot::wants_join_image) != nullptr) return Job::kJoinImage;
  if (!report_requests_.empty()) return Job::kReport;
  if (inside_) return Job::kInside;
  return image != nullptr ? Job::kImage : Job::kNone;
}

void ShadowWorld::do_job(Job job, Lock& lock) {
  is_working_ = true;
  switch (job) {
    case Job::kHash: report(&Slot::wants_hash, lock); break;
    case Job::kImage: report(&Slot::wants_image, lock); break;
    case Job::kJoinImage: save_join_image(lock); break;
    case Job::kProbe: answer_probe(lock); break;
    case Job::kReport: make_report(lock); break;
    case Job::kQueries: answer_queries(lock); break;
    case Job::kInside: look_inside_now(lock); break;
    case Job::kNone: break;
  }
  is_working_ = false;
  idle_.notify_all();
}

void ShadowWorld::report(bool Slot::*wants, Lock& lock) {
  Slot& slot = *lowest_slot(wants);
  std::uint64_t const tick = slot.tick;
  slot.*wants = false;
  roll_to(slot, lock);
  TickObserver* const observer = observer_;
  lock.unlock();
  std::uint64_t const hash = shadow_->hash();
  if (observer != nullptr && wants == &Slot::wants_image) observer->handle_image(tick, hash, shadow_->save());
  if (observer != nullptr && wants == &Slot::wants_hash) observer->handle_hash(tick, hash);
  lock.lock();
  if (wants == &Slot::wants_hash) results_.hashes.emplace_back(tick, hash);
}

void ShadowWorld::save_join_image(Lock& lock) {
  Slot& slot = *lowest_slot(&Slot::wants_join_image);
  std::uint64_t const tick = slot.tick;
  slot.wants_join_image = false;
  roll_to(slot, lock);
  lock.unlock();
  auto bytes = std::make_shared<const std::vector<std::byte>>(shadow_->save());
  lock.lock();
  results_.join_image = JoinImage{tick, std::move(bytes)};
}

void ShadowWorld::answer_probe(Lock& lock) {
  ProbeResult result{std::move(probes_.front()), {}};
  probes_.pop_front();
  Slot* const slot = nearest_slot(result.probe.tick);
  if (slot != nullptr && slot->tick == result.probe.tick) {
    std::uint64_t const until = *newest_tick_ + kProbeS * tick_rate_hz_;
    slot->keep_until_tick = until;
    if (Slot* const before = slot_before(slot->tick)) before->keep_until_tick = until;
    roll_to(*slot, lock);
    lock.unlock();
    sim::HashTree const tree([this](FieldSink& sink) { shadow_->list_fields(sink); });
    result.answer = tree.answer(result.probe.path);
    lock.lock();
  }
  results_.probes.push_back(std::move(result));
}

// The newest state before a tick that was kept for probes.
ShadowWorld::Slot* ShadowWorld::slot_before(std::uint64_t tick) {
  Slot* newest = nullptr;
  for (auto const& slot : slots_)
    if (slot->is_valid && slot->keep_until_tick > 0 && slot->tick < tick &&
        (newest == nullptr || slot->tick > newest->tick))
      newest = slot.get();
  return newest;
}

void ShadowWorld::make_report(Lock& lock) {
  ReportRequest request = std::move(report_requests_.front());
  report_requests_.pop_front();
  DesyncReport report{request.finding.player, request.finding.tick, std::move(request.finding.text), {}};
  Slot* const slot = nearest_slot(report.tick);
  if (slot != nullptr && slot->tick == report.tick) {
    sim::DesyncStates states;
    states.head = std::move(request.head);
    slot->keep_until_tick = *newest_tick_ + kProbeS * tick_rate_hz_;
    if (Slot* const earlier = slot_before(report.tick)) {
      roll_to(*earlier, lock);
      lock.unlock();
      states.earlier = sim::save_state_of(*shadow_);
      if (!sim::has_room_for_two(*states.earlier)) states.earlier.reset();
      lock.lock();
    }
    // A live side that is far ahead may have overwritten it meanwhile.
    if (slot->is_valid && slot->tick == report.tick) {
      roll_to(*slot, lock);
      lock.unlock();
      states.differing = sim::save_state_of(*shadow_);
      report.recording = sim::encode_desync(states, request.inputs);
      lock.lock();
    }
  }
  results_.reports.push_back(std::move(report));
}

void ShadowWorld::answer_queries(Lock& lock) {
  is_answer_due_ = false;
  std::uint64_t const newest = *newest_tick_;
  for (Request& request : std::exchange(requests_, {})) {
    Overload const handle{
        [&](protocol::QueryArrived& query) { queries_.handle(std::move(query), epoch_, newest); },
        [&](const Forget& gone) { queries_.forget(gone.player); },
    };
    std::visit(handle, request);
  }
  lock.unlock();
  auto const world_at = [&](std::uint64_t at_tick) -> QueryQueue::WorldAt {
    Lock inner(mutex_);
    Slot* const slot = nearest_slot(at_tick == 0 ? newest : std::min(at_tick, newest));
    TAKT_ASSERT(slot != nullptr);  // the newest is never given up
    bool const is_there = shadow_tick_ == slot->tick;
    roll_to(*slot, inner);
    return {shadow_->world(), is_there ? 0 : QueryQueue::kRollStepsPerBody * shadow_->world().body_count()};
  };
  auto replies = queries_.answer(world_at);
  lock.lock();
  std::ranges::move(replies, std::back_inserter(results_.replies));
  has_waiting_ = queries_.has_waiting();
}

void ShadowWorld::look_inside_now(Lock& lock) {
  InsideRequest const request = *std::exchange(inside_, std::nullopt);
  Slot* const slot = nearest_slot(request.tick);
  TAKT_ASSERT(slot != nullptr);
  std::uint64_t const tick = slot->tick;
  roll_to(*slot, lock);
  lock.unlock();
  std::optional<InsideView> inside;
  std::optional<std::vector<protocol::RopeState>> ropes;
  if (request.wants_inside) inside = look_inside(*shadow_, request.inspections);
  if (request.wants_ropes) ropes = list_ropes(*shadow_);
  lock.lock();
  if (inside) results_.inside = std::move(inside);
  if (ropes) results_.ropes = RopeList{tick, *std::move(ropes)};
}

void ShadowWorld::roll_to(Slot& slot, Lock& lock) {
  if (shadow_tick_ == slot.tick) return;
  TAKT_ASSERT(slot.is_valid && !slot.is_busy);
  slot.is_busy = true;
  shadow_tick_ = slot.tick;
  lock.unlock();
  shadow_->rollback(slot.snapshot);
  lock.lock();
  slot.is_busy = false;
}

}  // namespace takt::server
