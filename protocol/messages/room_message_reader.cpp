#include "protocol/messages/room_message_reader.h"

#include <string_view>
#include <utility>

#include "protocol/messages/wire_fields.h"

namespace takt::protocol {
namespace {

using Read = Result<Message, Error>;

bool is_name(std::string_view text, std::size_t bytes_max) {
  return text.size() <= bytes_max && is_printable(text);
}

bool is_speed(float speed) { return speed >= kControlSpeedMin && speed <= kControlSpeedMax; }

// Parts of one tick: at least one, each below the count, no more than the greatest list makes.
bool is_part(std::uint16_t part, std::uint16_t part_count, std::size_t items_max, std::size_t per_message) {
  return part_count >= 1 && part < part_count && part_count <= (items_max + per_message - 1) / per_message;
}

bool is_desync_text(std::string_view path, std::string_view answer) {
  return is_name(path, kDesyncPathBytesMax) && is_name(answer, kDesyncAnswerBytesMax);
}

}  // namespace

// The room answers a speed, tick or scene that does not fit the action with a ControlResult (server/). The
// reader refuses only values that no honest client sends.
Read read_one(const wire::Control& m) {
  if (!enum_in_range(m.action(), ControlAction::kSeek)) return Error::kOutOfRange;
  if (!is_finite(m.speed())) return Error::kNotFinite;
  auto const scene = text_of(m.scene());
  if (!is_name(scene, kSceneNameBytesMax)) return Error::kOutOfRange;
  return Message(
      Control{m.request(), static_cast<ControlAction>(m.action()), m.speed(), m.tick(), std::string(scene)});
}

Read read_one(const wire::ControlResult& m) {
  if (!enum_in_range(m.status(), ControlStatus::kFailed)) return Error::kOutOfRange;
  auto const text = text_of(m.text());
  if (!is_name(text, kReasonTextBytesMax)) return Error::kOutOfRange;
  return Message(ControlResult{m.request(), static_cast<ControlStatus>(m.status()), std::string(text)});
}

Read read_one(const wire::RoomState& m) {
  if (m.epoch() == 0 || m.tick_rate_hz() < 1 || m.tick_rate_hz() > 10'000) return Error::kOutOfRange;
  if (!is_finite(m.speed())) return Error::kNotFinite;
  auto const scene = text_of(m.scene());
  auto const title = text_of(m.title());
  if (!is_speed(m.speed()) || m.first_tick() > m.end_tick()) return Error::kOutOfRange;
  if (!is_name(scene, kSceneNameBytesMax) || !is_name(title, kTitleBytesMax)) return Error::kOutOfRange;
  RoomState room;
  room.epoch = m.epoch();
  room.tick = m.tick();
  room.paused = m.paused();
  room.speed = m.speed();
  room.admin = m.admin();
  room.is_recording = m.is_recording();
  room.first_tick = m.first_tick();
  room.end_tick = m.end_tick();
  room.tick_rate_hz = m.tick_rate_hz();
  room.scene_hash = m.scene_hash();
  room.scene = scene;
  room.title = title;
  if (m.scenes() != nullptr) {
    if (m.scenes()->size() > kScenesMax) return Error::kOutOfRange;
    room.scenes.reserve(m.scenes()->size());
    for (const flatbuffers::String* name : *m.scenes()) {
      if (name->size() == 0 || !is_name(text_of(name), kSceneNameBytesMax)) return Error::kOutOfRange;
      room.scenes.emplace_back(text_of(name));
    }
  }
  if (m.camera_eye() != nullptr && m.camera_target() != nullptr)
    room.camera = CameraPlace{from_wire(*m.camera_eye()), from_wire(*m.camera_target())};
  if (m.marks() != nullptr) {
    if (m.marks()->size() > kTimelineMarksMax) return Error::kOutOfRange;
    if (!is_aligned(*m.marks())) return Error::kVerifierFailed;
    room.marks.reserve(m.marks()->size());
    for (const wire::TimelineMark* mark : *m.marks()) {
      if (!enum_in_range(mark->kind(), MarkKind::kBreak)) return Error::kOutOfRange;
      if (!room.marks.empty() && mark->tick() < room.marks.back().tick) return Error::kOutOfRange;
      room.marks.push_back({mark->tick(), mark->count(), static_cast<MarkKind>(mark->kind())});
    }
  }
  return Message(std::move(room));
}

Read read_one(const wire::RoomEntered& m) {
  if (m.epoch() == 0) return Error::kOutOfRange;
  return Message(RoomEntered{m.epoch(), m.first_input()});
}

Read read_one(const wire::Inspect& m) { return Message(Inspect{m.what()}); }

Read read_one(const wire::Contacts& m) {
  if (!is_part(m.part(), m.part_count(), kContactPointsMax, kContactPointsPerMessage))
    return Error::kOutOfRange;
  Contacts contacts{m.tick(), m.total(), m.part(), m.part_count(), {}, m.epoch()};
  if (m.points() != nullptr) {
    if (m.points()->size() > kContactPointsPerMessage) return Error::kOutOfRange;
    if (!is_aligned(*m.points())) return Error::kVerifierFailed;
    for (const wire::ContactPoint* p : *m.points()) {
      ContactPoint const point{p->body_a(),  p->body_b(),    from_wire(p->position()), from_wire(p->normal()),
                               p->impulse(), p->separation()};
      if (!is_finite(point.normal) || !is_finite(point.impulse) || !is_finite(point.separation))
        return Error::kNotFinite;
      contacts.points.push_back(point);
    }
  }
  return Message(std::move(contacts));
}

Read read_one(const wire::JointFrames& m) {
  if (!is_part(m.part(), m.part_count(), kJointFramesMax, kJointFramesPerMessage)) return Error::kOutOfRange;
  JointFrames frames{m.tick(), m.total(), m.part(), m.part_count(), {}, m.epoch()};
  auto const* states = m.states();
  if (states != nullptr && states->size() != (m.joints() != nullptr ? m.joints()->size() : 0))
    return Error::kOutOfRange;
  if (states != nullptr && !is_aligned(*states)) return Error::kVerifierFailed;
  if (m.joints() != nullptr) {
    if (m.joints()->size() > kJointFramesPerMessage) return Error::kOutOfRange;
    if (!is_aligned(*m.joints())) return Error::kVerifierFailed;
    for (const wire::JointFrame* j : *m.joints()) {
      JointFrame joint;
      joint.body_a = j->body_a();
      joint.body_b = j->body_b();
      joint.anchor_a = from_wire(j->anchor_a());
      joint.anchor_b = from_wire(j->anchor_b());
      joint.rotation = from_wire(j->rotation());
      joint.kind = j->kind();
      if (states != nullptr) {
        wire::JointState const& state =
            *states->Get(static_cast<flatbuffers::uoffset_t>(frames.joints.size()));
        joint.id = state.id();
        joint.rotation_b = from_wire(state.rotation_b());
        joint.force = state.force();
        joint.torque = state.torque();
        joint.flags = state.flags();
      }
      if (!is_finite(joint.rotation) || !is_finite(joint.rotation_b) || !is_finite(joint.force) ||
          !is_finite(joint.torque))
        return Error::kNotFinite;
      frames.joints.push_back(joint);
    }
  }
  return Message(std::move(frames));
}

Read read_one(const wire::JointsBroken& m) {
  if (m.joints() == nullptr) return Error::kMissingField;
  if (m.joints()->size() > kRemovedPerMessage) return Error::kOutOfRange;
  if (!is_aligned(*m.joints())) return Error::kVerifierFailed;
  return Message(JointsBroken{m.tick(), {m.joints()->begin(), m.joints()->end()}});
}

Read read_one(const wire::DesyncProbe& m) {
  auto const path = text_of(m.path());
  auto const answer = text_of(m.answer());
  if (path.empty()) return Error::kMissingField;
  if (!is_desync_text(path, answer)) return Error::kOutOfRange;
  return Message(DesyncProbe{m.tick(), std::string(path), std::string(answer), m.mode_epoch()});
}

Read read_one(const wire::DesyncAnswer& m) {
  auto const path = text_of(m.path());
  auto const answer = text_of(m.answer());
  if (path.empty()) return Error::kMissingField;
  if (!enum_in_range(m.status(), DesyncStatus::kForgotten) || !is_desync_text(path, answer))
    return Error::kOutOfRange;
  return Message(
      DesyncAnswer{m.tick(), std::string(path), std::string(answer), static_cast<DesyncStatus>(m.status())});
}

Read read_one(const wire::ModeSwitch& m) {
  auto const text = text_of(m.text());
  if (!enum_in_range(m.mode(), ReplicationMode::kPredicted)) return Error::kOutOfRange;
  if (text.size() > kReasonTextBytesMax || !is_printable(text)) return Error::kOutOfRange;
  return Message(ModeSwitch{static_cast<ReplicationMode>(m.mode()), std::string(text), m.request(),
                            m.refused(), m.mode_epoch()});
}

}  // namespace takt::protocol
