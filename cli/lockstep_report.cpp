#include "cli/lockstep_report.h"

#include <cstdio>
#include <string_view>

#include "cli/difference_text.h"
#include "cli/json_text.h"

namespace takt::cli {
namespace {

std::string parts_text(const sim::StateDivergence& state, const char* separator) {
  std::string text;
  for (sim::StatePart const part : state.parts)
    text.append(text.empty() ? "" : separator).append(name_of(part));
  return text;
}

std::string difference_text(const LockstepReport& report) {
  sim::LockstepDifference const& difference = *report.result.difference;
  std::string text = "first different tick: " + std::to_string(difference.tick) + '\n';
  for (std::size_t end = 0; end < 2; ++end) {
    text += end_name(static_cast<sim::ComparedEnd>(end));
    text += " hash " + hash_text(difference.hashes[end]) + ": " + report.programs[end] + '\n';
  }
  if (difference.state.parts.empty())
    return text + "every record is equal: the two programs hash one state in different ways\n";
  text += "different parts: " + parts_text(difference.state, ", ") + '\n';
  for (const StateDifference& field : difference.state.fields) text += message(field) + '\n';
  return text;
}

// Text and attribute values of XML; control characters, which XML 1.0 has no form for, become '?'.
std::string xml_text(std::string_view text) {
  std::string out;
  for (char const letter : text) {
    switch (letter) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      default: out += static_cast<unsigned char>(letter) < 0x20 ? '?' : letter;
    }
  }
  return out;
}

std::string strings_json(const std::array<std::string, 2>& texts) {
  return '[' + json_text(texts[0]) + ',' + json_text(texts[1]) + ']';
}

std::string difference_json(const sim::LockstepDifference& difference) {
  std::string parts;
  for (sim::StatePart const part : difference.state.parts)
    parts += (parts.empty() ? "" : ",") + json_text(name_of(part));
  std::string const& record = difference.state.record;
  return "{\"tick\":" + std::to_string(difference.tick) +
         ",\"hashes\":" + strings_json({hash_text(difference.hashes[0]), hash_text(difference.hashes[1])}) +
         ",\"parts\":[" + parts + "],\"record\":" + (record.empty() ? "null" : json_text(record)) +
         ",\"fields\":" + fields_json(difference.state.fields, "a", "b") + '}';
}

}  // namespace

const char* end_name(sim::ComparedEnd end) noexcept { return end == sim::ComparedEnd::kLeft ? "A" : "B"; }

std::string failure_text(const LockstepReport& report) {
  sim::LockstepFailure const& failure = *report.result.failure;
  std::string text = "program ";
  text += end_name(failure.end);
  return text + " (" + report.programs[static_cast<std::size_t>(failure.end)] + "): " + failure.text;
}

std::string lockstep_text(const LockstepReport& report) {
  if (report.result.difference) return difference_text(report);
  return "equal: " + std::to_string(report.result.final_tick - report.result.first_tick) + " ticks, tick " +
         std::to_string(report.result.final_tick) + " hash " + hash_text(report.result.final_hash) + '\n';
}

std::string lockstep_json(const LockstepReport& report) {
  sim::LockstepReport const& result = report.result;
  std::string failure = "null";
  if (result.failure) {
    failure = std::string("{\"program\":\"") + end_name(result.failure->end) +
              "\",\"text\":" + json_text(result.failure->text) + '}';
  }
  return "{\"scene\":" + json_text(report.scene) + ",\"programs\":" + strings_json(report.programs) +
         ",\"equal\":" + (result.is_equal() ? "true" : "false") +
         ",\"first_tick\":" + std::to_string(result.first_tick) +
         ",\"final_tick\":" + std::to_string(result.final_tick) +
         ",\"hash\":" + json_text(hash_text(result.final_hash)) +
         ",\"difference\":" + (result.difference ? difference_json(*result.difference) : "null") +
         ",\"failure\":" + failure + '}';
}

std::string lockstep_junit(const LockstepReport& report) {
  sim::LockstepReport const& result = report.result;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.3f", report.seconds);
  std::string const counts = std::string("tests=\"1\" failures=\"") + (result.difference ? '1' : '0') +
                             "\" errors=\"" + (result.failure ? '1' : '0') + "\" time=\"" + seconds + '"';
  std::string content;
  if (result.failure) {
    content = "<error message=\"" + xml_text(failure_text(report)) + "\"/>";
  } else if (result.difference) {
    std::string const first = result.difference->state.fields.empty()
                                  ? "the state hashes differ"
                                  : message(result.difference->state.fields.front());
    content = "<failure message=\"" +
              xml_text("tick " + std::to_string(result.difference->tick) + ": " + first) + "\">" +
              xml_text(difference_text(report)) + "</failure>";
  } else {
    content = "<system-out>" + xml_text(lockstep_text(report)) + "</system-out>";
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + counts +
         ">\n  <testsuite name=\"takt lockstep-test\" " + counts +
         ">\n    <testcase classname=\"takt.lockstep\" name=\"" +
         xml_text(report.scene + ": " + report.programs[0] + " | " + report.programs[1]) + "\" time=\"" +
         seconds + "\">" + content + "</testcase>\n  </testsuite>\n</testsuites>\n";
}

}  // namespace takt::cli
