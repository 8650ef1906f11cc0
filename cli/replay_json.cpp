#include "cli/replay_json.h"

#include "cli/difference_text.h"
#include "cli/json_text.h"

namespace takt::cli {
namespace {

const char* truth(bool value) { return value ? "true" : "false"; }

}  // namespace

std::string output_mismatch_json(const std::optional<sim::OutputMismatch>& mismatch) {
  if (!mismatch) return "null";
  return "{\"tick\":" + std::to_string(mismatch->tick) + ",\"continued\":" + json_text(mismatch->continued) +
         ",\"restored\":" + json_text(mismatch->restored) + '}';
}

std::string mismatch_json(const std::optional<sim::Mismatch>& mismatch) {
  if (!mismatch) return "null";
  return "{\"tick\":" + std::to_string(mismatch->tick) +
         ",\"recorded_hash\":" + json_text(hash_text(mismatch->recorded_hash)) +
         ",\"replayed_hash\":" + json_text(hash_text(mismatch->replayed_hash)) +
         ",\"fields\":" + fields_json(mismatch->fields, "recorded", "replayed") + '}';
}

std::string stop_json(std::optional<sim::SimError> stopped_by, const std::string& thrown) {
  if (!stopped_by) return "null";
  if (*stopped_by == sim::SimError::kGameThrew) return json_text("the game threw: " + thrown);
  return json_text(message(*stopped_by));
}

std::string image_check_json(const sim::ImageCheck& check) {
  return "{\"image_tick\":" + std::to_string(check.image_tick) +
         ",\"end_tick\":" + std::to_string(check.end_tick) +
         ",\"final_tick\":" + std::to_string(check.final_tick) + ",\"follows\":" + truth(check.follows()) +
         ",\"image_sound\":" + truth(check.is_image_sound) +
         ",\"mismatch\":" + mismatch_json(check.mismatch) +
         ",\"output_mismatch\":" + output_mismatch_json(check.output_mismatch) +
         ",\"error\":" + stop_json(check.stopped_by, check.thrown) + '}';
}

std::string comparison_json(const std::string& left, const std::string& right,
                            const sim::RecordingComparison& report) {
  std::string const first = report.first_difference ? std::to_string(*report.first_difference) : "null";
  return "{\"left\":" + json_text(left) + ",\"right\":" + json_text(right) +
         ",\"equal\":" + truth(!report.first_difference) +
         ",\"first_tick\":" + std::to_string(report.first_tick) +
         ",\"end_tick\":" + std::to_string(report.end_tick) + ",\"first_difference\":" + first +
         ",\"inputs_differ\":" + truth(report.inputs_differ) +
         ",\"fields\":" + fields_json(report.fields, "left", "right") + '}';
}

}  // namespace takt::cli
