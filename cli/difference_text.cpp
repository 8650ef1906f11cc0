#include "cli/difference_text.h"

#include <cinttypes>
#include <cstdio>

#include "cli/json_text.h"

namespace takt::cli {

std::string hash_text(std::uint64_t hash) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%016" PRIx64, hash);
  return text;
}

std::string fields_json(const std::vector<StateDifference>& fields, const std::string& left,
                        const std::string& right) {
  auto const bits = [](const std::string& text) { return text.empty() ? "null" : json_text(text); };
  std::string out = "[";
  for (const StateDifference& field : fields) {
    if (out.size() > 1) out += ',';
    out.append("{\"path\":").append(json_text(field.path));
    out.append(",\"").append(left).append("\":").append(json_text(field.left));
    out.append(",\"").append(right).append("\":").append(json_text(field.right));
    out.append(",\"").append(left).append("_bits\":").append(bits(field.left_bits));
    out.append(",\"").append(right).append("_bits\":").append(bits(field.right_bits));
    out.append(",\"ulps\":").append(field.ulps ? std::to_string(*field.ulps) : "null").append("}");
  }
  return out + ']';
}

}  // namespace takt::cli
