#include "protocol/link/datagram_link.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "protocol/messages/message_writer.h"
#include "takt/core/assert.h"

namespace takt::protocol {
namespace {

// Before the first sample a round trip may be anything. A time-out below it would expire every datagram
// before its acknowledgement, so that no sample ever came.
std::uint64_t loss_timeout_us(const RttEstimator& rtt) noexcept {
  return rtt.has_any() ? rtt.timeout_us() : RttEstimator::kRtoMax;
}

}  // namespace

static_assert(crypto::kSealOverheadBytesMax + 4 + kAckBits / 8 == kSealedDatagramBytes);

DatagramLink::DatagramLink(const DatagramLinkOptions& options, const LinkKeys& keys, std::uint64_t now_us,
                           Counters& counters)
    : Link(counters),
      options_(options),
      sealer_(options.cipher, keys.send, options.connection_id, now_us, options.key_phase),
      opener_(options.cipher, keys.receive, options.connection_id),
      pacer_(options.pacer),
      fragments_out_(options.send_window),
      fragments_in_(options.receive_window),
      trap_state_(options.trap_seed),
      last_sent_us_(now_us) {
  MessageWriter writer;
  auto const bytes = writer.write(KeepAlive{});
  keep_alive_.assign(bytes.begin(), bytes.end());
  set_trap();
}

// The next trap is 64 to 1,087 datagrams ahead. The client's statistics of loss see one datagram in 576 lost.
void DatagramLink::set_trap() noexcept {
  trap_state_ += 0x9e3779b97f4a7c15ull;  // splitmix64; G. Steele and others, 2014
  std::uint64_t mixed = (trap_state_ ^ (trap_state_ >> 30)) * 0xbf58476d1ce4e5b9ull;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebull;
  trap_number_ = sealer_.next_number() + 64 + (mixed ^ (mixed >> 31)) % 1024;
}

void DatagramLink::skip_trap(std::uint64_t now_us) {
  if (options_.trap_seed == 0 || sealer_.next_number() != trap_number_) return;
  Sent trap;
  trap.at_us = now_us;
  trap.is_trap = true;
  sent_.push_back(std::move(trap));
  sealer_.skip_number();
  set_trap();
}

std::size_t DatagramLink::useful_backlog_bytes() const noexcept {
  std::uint64_t const round_us = rtt_.has_any() ? rtt_.smoothed_us() + 2 * kAckDelayMax : 200 * kMillisecond;
  std::uint64_t const bytes = 2 * pacer_.rate_bytes_per_s() * round_us / kSecond;
  return std::clamp<std::size_t>(bytes, 2 * kJoinSliceBytes,
                                 kFragmentWindowToClient * kFragmentBytesMax + 2 * kJoinSliceBytes);
}

void DatagramLink::send_unreliable(std::span<const std::byte> message, std::uint64_t token) {
  TAKT_ASSERT(!message.empty() && message.size() <= kUnreliableBytesMax);
  if (unreliable_.size() >= kUnreliableQueueMax) {
    counters().add(Counter::kQueueOverflow);
    settle(token, false);
    return;
  }
  unreliable_.push_back({token, {message.begin(), message.end()}});
}

void DatagramLink::send_reliable(std::span<const std::byte> message) { fragments_out_.push(message); }

// ---------------------------------------------------------------- receiving

bool DatagramLink::open_datagram(std::uint64_t now_us, std::span<const std::byte> datagram) {
  TAKT_ASSERT(datagram.size() <= kDatagramBytesMax);
  payload_.resize(kDatagramBytesMax);
  auto const opened =
      opener_.open(now_us, rtt_.has_any() ? rtt_.smoothed_us() : RttEstimator::kRtoStart, datagram, payload_);
  if (!opened) {
    count_drop(opened.error());
    return false;
  }
  opened_ = *opened;
  ++totals_.datagrams_received;
  totals_.bytes_received += datagram.size();
  return true;
}

void DatagramLink::count_drop(crypto::DropReason reason) {
  switch (reason) {
    case crypto::DropReason::kMalformed: return counters().add(Counter::kDatagramBadLayout);
    case crypto::DropReason::kWrongConnection: return counters().add(Counter::kDatagramUnknownSession);
    case crypto::DropReason::kReplayed: return counters().add(Counter::kDuplicate);
    case crypto::DropReason::kLate: return counters().add(Counter::kDatagramLate);
    case crypto::DropReason::kForged: return counters().add(Counter::kDatagramForged);
  }
}

void DatagramLink::handle_opened(std::uint64_t now_us, std::uint64_t earliest_us) {
  Arrival const arrival{std::min(earliest_us, now_us), now_us};
  std::span<const std::byte> body = opened_.payload;
  std::optional<AckBlock> acks;
  bool is_whole = true;
  if (opened_.flags.has_ack) {
    auto const block = read_ack_block(body);
    is_whole = block.ok();
    if (block) acks = *block;
  }
  if (opened_.flags.path_probe && is_whole && body.size() == std::tuple_size_v<ProbeBytes>) {
    received_.record(opened_.number);
    probe_.emplace();
    std::ranges::copy(body, probe_->begin());
    return;
  }
  // Before the number is recorded: the other end must not believe that it arrived.
  if (!is_whole || opened_.flags.path_probe || has_too_many_sections(body)) {
    counters().add(Counter::kDatagramBadLayout);
    return note_malformed();
  }
  if (opened_.number > received_.newest()) newest_received_us_ = arrival.now_us;
  received_.record(opened_.number);
  if (!body.empty()) {
    if (acks_owed_ == 0) ack_owed_since_us_ = arrival.now_us;
    ++acks_owed_;
  }
  if (acks) handle_acks(arrival, *acks);
  handle_sections(body);
}

void DatagramLink::handle_acks(const Arrival& arrival, const AckBlock& block) {
  // The number up to the newest one sent that has these low bytes; so many are never in flight.
  std::uint64_t const last = sealer_.next_number() - 1;
  std::uint64_t const behind = static_cast<std::uint16_t>(last - block.newest_low);
  if (behind >= last) {
    counters().add(Counter::kAckOutOfWindow);  // acknowledges what was never sent
    return;
  }
  std::uint64_t const newest = last - behind;
  newest_acked_ = std::max(newest_acked_, newest);
  std::uint64_t const delay_us = std::uint64_t{block.delay_100us} * 100;
  handle_one_ack(arrival, newest, delay_us, true);
  for (std::uint32_t i = 0; i < kAckBits; ++i)
    if (((block.mask >> i) & 1u) != 0) handle_one_ack(arrival, newest - 1 - i, delay_us, false);
}

void DatagramLink::handle_one_ack(const Arrival& arrival, std::uint64_t number, std::uint64_t ack_delay_us,
                                  bool newest) {
  std::uint64_t const offset = number - first_sent_;  // modulo 2^64: older ones become huge
  if (offset >= sent_.size()) return;
  Sent& sent = sent_[offset];
  if (sent.is_trap) {
    counters().add(Counter::kAckTraps);
    fail();
    return;
  }
  if (sent.settled) return;
  // Only the newest has its ack delay in the header. The delay is the other end's word: it may not make the
  // sample negative.
  if (newest && sent.ack_eliciting && number >= first_on_path_) {
    std::uint64_t const elapsed_us = arrival.now_us - sent.at_us;
    std::uint64_t const waited_us = arrival.now_us - arrival.earliest_us;  // at most, for a stalled caller
    std::uint64_t const max_us = elapsed_us > ack_delay_us ? elapsed_us - ack_delay_us : elapsed_us;
    rtt_.handle_sample(max_us > waited_us ? max_us - waited_us : 0, max_us);
  }
  if (number >= first_on_path_) reached_ = true;
  settle_sent(sent, true);
}

bool DatagramLink::has_too_many_sections(std::span<const std::byte> body) const noexcept {
  SectionReader reader(body);
  Section section;
  std::size_t count = 0;
  while (count <= options_.sections_max && reader.next(section)) ++count;
  return count > options_.sections_max;
}

void DatagramLink::handle_sections(std::span<const std::byte> body) {
  SectionReader reader(body);
  Section section;
  while (reader.next(section)) {
    if (section.kind == SectionKind::kMessage) {
      deliver(MessageClass::kDatagram, section.payload);
      continue;
    }
    switch (fragments_in_.handle_fragment(section)) {
      case FragmentReceiver::Outcome::kFresh:
      case FragmentReceiver::Outcome::kDuplicate: break;
      case FragmentReceiver::Outcome::kOutOfWindow: counters().add(Counter::kFragmentOutOfWindow); break;
      case FragmentReceiver::Outcome::kOversize:
        counters().add(Counter::kReliableOversize);
        fail();
        return;
    }
  }
  if (!reader.ok()) {
    counters().add(Counter::kDatagramBadLayout);
    note_malformed();
  }
  std::vector<std::byte> message;
  while (fragments_in_.poll_message(message)) deliver(MessageClass::kReliable, message);
}

// ---------------------------------------------------------------- loss

void DatagramLink::settle_sent(Sent& sent, bool delivered) {
  sent.settled = true;
  for (std::uint32_t const fragment : sent.fragments) {
    if (delivered) {
      fragments_out_.handle_delivered(fragment);
    } else {
      fragments_out_.handle_lost(fragment);
    }
  }
  for (std::uint64_t const token : sent.tokens) settle(token, delivered);
  if (delivered) {
    pacer_.handle_delivered(sent.bytes);
  } else if (sent.ack_eliciting) {
    // Before the first acknowledgement the other end may not know that it is in: an Accept that was lost is
    // no congestion.
    if (rtt_.has_any()) pacer_.handle_lost(sent.bytes);
    ++totals_.datagrams_lost;
    counters().add(Counter::kDatagramsLost);
  }
  sent.fragments = {};
  sent.tokens = {};
}

void DatagramLink::detect_losses(std::uint64_t now_us) {
  std::uint64_t const timeout_us = loss_timeout_us(rtt_);
  while (!sent_.empty()) {
    Sent& oldest = sent_.front();
    // Loss is judged by time alone: jitter reorders by dozens of datagrams, so counting later ones would see
    // loss everywhere.
    bool const expired = now_us >= oldest.at_us + timeout_us || sent_.size() > kSentWindow;
    if (!oldest.settled && !expired) break;
    if (!oldest.settled) settle_sent(oldest, false);
    sent_.pop_front();
    ++first_sent_;
  }
}

// ---------------------------------------------------------------- sending

bool DatagramLink::is_ack_due(std::uint64_t now_us) const noexcept {
  return acks_owed_ >= kAckEvery || (acks_owed_ > 0 && now_us >= ack_owed_since_us_ + kAckDelayMax);
}

void DatagramLink::write_probe(std::uint64_t now_us, const ProbeBytes& probe, std::vector<std::byte>& out) {
  skip_trap(now_us);
  out.resize(probe.size() + crypto::kSealOverheadBytesMax);
  out.resize(sealer_.seal(now_us, newest_acked_, {true, false}, probe, out));
  Sent sent;  // of no importance to the rate: it may go another way
  sent.at_us = now_us;
  sent.settled = true;
  sent_.push_back(std::move(sent));
  ++totals_.datagrams_sent;
  totals_.bytes_sent += out.size();
}

void DatagramLink::restart_path() {
  rtt_ = RttEstimator();
  // A client that moves often does not get the rate of the start each time, whatever it loses.
  PacerOptions start = options_.pacer;
  start.rate_start = std::min(start.rate_start, pacer_.rate_bytes_per_s());
  pacer_ = Pacer(start);
  // Datagrams to the old address tell nothing about the new path.
  first_on_path_ = sealer_.next_number();
  for (Sent& sent : sent_) sent.bytes = 0;
}

void DatagramLink::write_acks(std::uint64_t now_us) {
  payload_.clear();
  if (!received_.has_any()) return;
  AckBlock block;
  block.newest_low = static_cast<std::uint16_t>(received_.newest());
  block.delay_100us = static_cast<std::uint16_t>(
      std::min<std::uint64_t>((now_us - newest_received_us_) / 100, AckBlock::kDelayUnitsMax));
  block.mask = received_.mask();
  write_ack_block(block, payload_);
}

void DatagramLink::write_sections(std::uint64_t now_us, Sent& sent) {
  std::size_t const payload_bytes_max = kDatagramBytesMax - crypto::kSealOverheadBytesMax;
  std::size_t count = 0;
  while (!unreliable_.empty() && count < kSectionsPerDatagramMax) {
    Waiting& waiting = unreliable_.front();
    if (payload_.size() + kMessageSectionBytes + waiting.bytes.size() > payload_bytes_max) break;
    write_section({SectionKind::kMessage, false, 0, waiting.bytes}, payload_);
    ++count;
    if (waiting.token != 0) sent.tokens.push_back(waiting.token);
    unreliable_.pop_front();
  }
  if (!fragments_out_.is_ready() || !pacer_.can_send(now_us)) return;
  Section section;
  std::uint64_t const resent_before = fragments_out_.resent_count();
  for (; count < kSectionsPerDatagramMax && fragments_out_.next(payload_bytes_max - payload_.size(), section);
       ++count) {
    write_section(section, payload_);
    sent.fragments.push_back(section.fragment);
  }
  counters().add(Counter::kFragmentsResent, fragments_out_.resent_count() - resent_before);
}

bool DatagramLink::poll_datagram(std::uint64_t now_us, std::vector<std::byte>& out) {
  detect_losses(now_us);
  opener_.handle_time(now_us);
  rtt_.handle_time(now_us);
  pacer_.handle_time(now_us, rtt_.smoothed_us(), rtt_.min_us());
  bool const has_messages = !unreliable_.empty() || (fragments_out_.is_ready() && pacer_.can_send(now_us));
  bool const silent = now_us >= last_sent_us_ + kKeepAliveInterval;
  if (!has_messages && !silent && !is_ack_due(now_us)) return false;
  if (silent && !has_messages) send_unreliable(keep_alive_, 0);

  skip_trap(now_us);
  write_acks(now_us);
  bool const has_ack = !payload_.empty();
  std::size_t const ack_bytes = payload_.size();
  Sent sent;
  write_sections(now_us, sent);
  // An ack alone is not acknowledged: else two idle peers would talk for ever.
  sent.ack_eliciting = payload_.size() > ack_bytes;
  out.resize(payload_.size() + crypto::kSealOverheadBytesMax);
  out.resize(sealer_.seal(now_us, newest_acked_, {false, has_ack}, payload_, out));

  sent.at_us = now_us;
  sent.bytes = static_cast<std::uint32_t>(out.size());
  pacer_.handle_sent(now_us, out.size());
  sent_.push_back(std::move(sent));
  acks_owed_ = 0;
  last_sent_us_ = now_us;
  ++totals_.datagrams_sent;
  totals_.bytes_sent += out.size();
  return true;
}

std::uint64_t DatagramLink::next_wakeup_us(std::uint64_t now_us) const noexcept {
  if (!unreliable_.empty() || is_ack_due(now_us)) return now_us;
  std::uint64_t wakeup_us = last_sent_us_ + kKeepAliveInterval;
  if (acks_owed_ > 0) wakeup_us = std::min(wakeup_us, ack_owed_since_us_ + kAckDelayMax);
  if (fragments_out_.is_ready()) wakeup_us = std::min(wakeup_us, pacer_.next_send_us(now_us));
  if (!sent_.empty()) wakeup_us = std::min(wakeup_us, sent_.front().at_us + loss_timeout_us(rtt_));
  return std::max(wakeup_us, now_us);
}

SessionStats DatagramLink::stats() const {
  SessionStats stats = totals_;
  stats.rtt_us = rtt_.smoothed_us();
  stats.rtt_variation_us = rtt_.variation_us();
  stats.rtt_min_us = rtt_.min_us();
  stats.received_lost = received_.missing();
  stats.reliable_queue_bytes = fragments_out_.backlog_bytes();
  stats.send_rate_bytes_per_s = pacer_.rate_bytes_per_s();
  return stats;
}

}  // namespace takt::protocol
