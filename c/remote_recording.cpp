// Recordings of worlds of a service. The file is one of this process, and its bytes come from the service in
// parts.
#include <cstddef>
#include <span>
#include <utility>

#include "c/takt_objects.h"
#include "service/client/service_client.h"

namespace takt::c {
namespace {

using flatbuffers::FlatBufferBuilder;
using service::ServiceClient;
namespace wire = service::wire;

constexpr std::uint32_t kFollowTicks = 60;  // those of a chunk: a further request for fewer would be in vain
constexpr std::uint32_t kGoesOn = 1;        // Reply::recording
constexpr std::uint32_t kCut = 2;
constexpr std::string_view kCutText =
    "limit recording: the recording ended, because too many bytes wait at the service: record fewer worlds "
    "of a "
    "connection";

}  // namespace

struct RemoteWorld::Taken {
  std::uint32_t state = 0;  // Reply::recording
  bool has_room = true;     // the file has taken all bytes
  std::string stop;         // not empty: the function of takt_service_set_stop has ended the wait
};

// Sends the request, and takes all bytes that wait. `sink` null drops them.
template <class Make>
takt_status RemoteWorld::take_recorded(const Make& make, FileSink* sink, Taken& taken) {
  for (bool is_first = true;; is_first = false) {
    ServiceClient::Answer const answer =
        is_first ? client_->call(target_, 0, make)
                 : client_->call(target_, 0, [](FlatBufferBuilder& b) { return wire::CreateRecordBytes(b); });
    if (answer.status != TAKT_OK && !answer.is_late()) return fail(answer.status, answer.text);
    if (answer.is_late()) taken.stop = answer.text;
    auto const* const bytes = answer.reply->bytes();
    std::size_t const count = bytes == nullptr ? 0 : bytes->size();
    if (sink != nullptr && taken.has_room && count != 0)
      taken.has_room = sink->write(std::as_bytes(std::span(bytes->data(), count)));
    taken.state = answer.reply->recording();
    if (answer.reply->bytes_left() == 0) return TAKT_OK;
    if (count == 0) return fail(TAKT_ERROR_REMOTE, "the service sent a reply of another kind");
  }
}

// Out of memory, the recording of the service stays a stray one, which the next record_stop() ends.
void RemoteWorld::abandon_recording() {
  is_stray_ = true;
  Taken taken;
  (void)take_recorded([](FlatBufferBuilder& b) { return wire::CreateRecordStop(b); }, nullptr, taken);
  is_stray_ = false;
}

takt_status RemoteWorld::record(const std::string& path) {
  try {
    return begin_recording(path);
  } catch (...) {  // out of memory: the service may have begun
    if (!is_recording()) throw;
    try {
      abandon_recording();
    } catch (...) {  // is_stray_ stays
    }
    throw;
  }
}

takt_status RemoteWorld::begin_recording(const std::string& path) {
  auto sink = FileSink::create(path);
  if (!sink) return fail(TAKT_ERROR_FILE, sink.error().text);
  Taken taken;
  is_stray_ = true;
  if (takt_status const bad =
          take_recorded([](FlatBufferBuilder& b) { return wire::CreateRecord(b); }, sink->get(), taken)) {
    is_stray_ = false;
    return bad;
  }
  if (!taken.has_room || !taken.stop.empty()) {
    abandon_recording();
    return taken.has_room ? fail(TAKT_ERROR_STOPPED, taken.stop) : fail(TAKT_ERROR_FILE, path, kNoRoom);
  }
  if (auto const committed = (*sink)->commit(); !committed) {
    abandon_recording();
    return fail(TAKT_ERROR_FILE, committed.error().text);
  }
  recording_ = *std::move(sink);
  is_stray_ = false;
  untaken_ticks_ = 0;
  return TAKT_OK;
}

takt_status RemoteWorld::record_stop() {
  if (recording_ == nullptr) {
    abandon_recording();
    return TAKT_OK;
  }
  std::unique_ptr<FileSink> const sink = std::move(recording_);
  Taken taken;
  is_stray_ = true;
  takt_status const status =
      take_recorded([](FlatBufferBuilder& b) { return wire::CreateRecordStop(b); }, sink.get(), taken);
  is_stray_ = false;
  bool const is_whole = sink->close() && taken.has_room;
  if (status != TAKT_OK) return status;
  if (taken.state == kCut) return fail(TAKT_ERROR_LIMIT, kCutText);
  if (!is_whole) return fail(TAKT_ERROR_FILE, kLostAtStop);
  return taken.stop.empty() ? takt_status{TAKT_OK} : fail(TAKT_ERROR_STOPPED, taken.stop);
}

takt_status RemoteWorld::follow_recording(std::uint32_t ticks) {
  if (recording_ == nullptr) return TAKT_OK;
  untaken_ticks_ += ticks;
  if (untaken_ticks_ < kFollowTicks) return TAKT_OK;
  untaken_ticks_ = 0;
  Taken taken;
  if (takt_status const bad = take_recorded([](FlatBufferBuilder& b) { return wire::CreateRecordBytes(b); },
                                            recording_.get(), taken))
    return bad;
  if (taken.has_room && taken.state == kGoesOn)
    return taken.stop.empty() ? takt_status{TAKT_OK} : fail(TAKT_ERROR_STOPPED, taken.stop);
  std::unique_ptr<FileSink> const sink = std::move(recording_);
  (void)sink->close();
  if (taken.state != kGoesOn) return fail(TAKT_ERROR_LIMIT, kCutText);
  abandon_recording();
  return fail(TAKT_ERROR_FILE, kLostInStep);
}

}  // namespace takt::c
