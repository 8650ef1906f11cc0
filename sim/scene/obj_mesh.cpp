#include "sim/scene/obj_mesh.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "sim/scene/face_triangles.h"
#include "takt/physics/body.h"
#include "takt/physics/surface.h"

namespace takt::sim {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::size_t kMaxShown = 40;  // of a word in a message

/// Takes the first word off a line; empty at its end.
std::string_view take_word(std::string_view& line) noexcept {
  std::size_t const begin = std::min(line.find_first_not_of(kBlanks), line.size());
  std::size_t const end = std::min(line.find_first_of(kBlanks, begin), line.size());
  std::string_view const word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

std::string quoted(std::string_view word) {
  std::string out = "'";
  for (char const c : word.substr(0, kMaxShown)) out += c >= ' ' && c <= '~' ? c : '?';
  if (word.size() > kMaxShown) out += "...";
  return out + "'";
}

template <class Number>
std::optional<Number> to_number(std::string_view word) noexcept {
  if (word.starts_with('+')) word.remove_prefix(1);
  Number value{};
  auto const [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (code != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Statements that say nothing about triangles.
bool is_passed_over(std::string_view word) noexcept {
  constexpr std::string_view kWords[] = {
      "vt", "vn",  "vp",     "o",      "g",          "s",         "mtllib", "p",        "l",
      "mg", "lod", "usemap", "maplib", "shadow_obj", "trace_obj", "bevel",  "c_interp", "d_interp"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

class ObjParser {
 public:
  explicit ObjParser(double scale) : scale_(scale) {}

  Result<ObjMesh, ObjFault> parse(std::string_view text) {
    std::string joined;  // lines that end with a backslash
    for (std::uint32_t line = 1; !text.empty() && !fault_; ++line) {
      std::size_t const end = std::min(text.find('\n'), text.size());
      std::string_view statement = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      // A comment ends with its line, whatever it ends with.
      bool const has_comment = statement.find('#') != std::string_view::npos;
      statement = statement.substr(0, statement.find('#'));
      if (statement.ends_with('\r')) statement.remove_suffix(1);
      if (joined.empty()) line_ = line;
      if (statement.ends_with('\\') && !has_comment && !text.empty()) {
        joined += statement.substr(0, statement.size() - 1);
        joined += ' ';
        continue;
      }
      if (!joined.empty()) statement = joined += statement;
      read(statement);
      joined.clear();
    }
    if (!fault_ && mesh_.triangles.empty()) fail("no face in it: a mesh needs at least one line \"f\"");
    if (fault_) return *std::move(fault_);
    return std::move(mesh_);
  }

 private:
  void fail(std::string text) {
    if (!fault_) fault_ = ObjFault{line_, std::move(text)};
  }

  void read(std::string_view line) {
    std::string_view const word = take_word(line);
    if (word == "v") return read_vertex(line);
    if (word == "f" || word == "fo") return read_face(line);
    if (word == "usemtl") return use_material(take_word(line));
    if (!word.empty() && !is_passed_over(word))
      fail(quoted(word) + " is not read: a mesh has vertices (v) and faces (f)");
  }

  void read_vertex(std::string_view line) {
    if (mesh_.vertices_m.size() == kMaxMeshVertices)
      return fail("more than " + std::to_string(kMaxMeshVertices) + " vertices");
    double coordinates[3] = {};
    for (double& coordinate : coordinates) {
      std::string_view const word = take_word(line);
      auto const number = to_number<double>(word);
      if (!number)
        return fail(word.empty() ? "a vertex needs three numbers" : quoted(word) + " is not a number");
      coordinate = *number * scale_;
      if (!(std::fabs(coordinate) <= kMaxExtentM)) {
        return fail(quoted(word) + " times the scale is beyond " +
                    std::to_string(static_cast<int>(kMaxExtentM)) + " m: choose a smaller \"obj_scale\"");
      }
    }
    // A weight or a colour behind them means nothing here.
    mesh_.vertices_m.push_back({coordinates[0], coordinates[1], coordinates[2]});
  }

  void read_face(std::string_view line) {
    indices_.clear();
    corners_.clear();
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
      if (indices_.size() == kMaxObjFaceCorners)
        return fail("a face of more than " + std::to_string(kMaxObjFaceCorners) + " corners");
      auto const number = to_number<std::int64_t>(word.substr(0, word.find('/')));
      if (!number)
        return fail(quoted(word) + " is not a corner: expected the number of a vertex, as in 3, 3/1 or 3//2");
      auto const count = static_cast<std::int64_t>(mesh_.vertices_m.size());
      std::int64_t const index = *number < 0 ? count + *number : *number - 1;
      if (index < 0 || index >= count)
        return fail("corner " + quoted(word) + ": there are " + std::to_string(count) +
                    " vertices so far, counted from 1");
      indices_.push_back(static_cast<std::uint32_t>(index));
      corners_.push_back(mesh_.vertices_m[static_cast<std::size_t>(index)]);
    }
    if (indices_.size() < 3)
      return fail("a face of " + std::to_string(indices_.size()) + " corners: at least 3 are needed");
    if (mesh_.triangles.size() + indices_.size() - 2 > kMaxMeshTriangles)
      return fail("more than " + std::to_string(kMaxMeshTriangles) + " triangles");
    std::size_t const first = mesh_.triangles.size();
    if (!append_triangles(corners_, mesh_.triangles))
      return fail("a face that crosses itself: cut it into triangles");
    for (std::size_t i = first; i < mesh_.triangles.size(); ++i) {
      for (std::uint32_t& corner : mesh_.triangles[i]) corner = indices_[corner];
      mesh_.material_names.push_back(material_);
    }
  }

  void use_material(std::string_view name) {
    auto const at = std::ranges::find(mesh_.names, name);
    material_ = static_cast<std::uint32_t>(at - mesh_.names.begin());
    if (at != mesh_.names.end()) return;
    mesh_.names.emplace_back(name);
    mesh_.first_use_lines.push_back(line_);
  }

  double scale_;
  ObjMesh mesh_;
  std::uint32_t line_ = 1;  // where the statement begins
  std::uint32_t material_ = ObjMesh::kNoName;
  std::vector<std::uint32_t> indices_;  // of the face that is read
  std::vector<Vec3<double>> corners_;
  std::optional<ObjFault> fault_;
};

}  // namespace

Result<ObjMesh, ObjFault> parse_obj(std::string_view text, double scale) {
  return ObjParser(scale).parse(text);
}

}  // namespace takt::sim
