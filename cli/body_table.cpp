#include "cli/body_table.h"

#include <charconv>
#include <span>

namespace takt::cli {
namespace {

void add_number(std::string& row, auto value) {
  char buffer[32];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, value);
  row.append(buffer, end.ptr);
}

void add_column(std::string& row, auto value) {
  row += ',';
  add_number(row, value);
}

// As RFC 4180 quotes a field.
std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

double metres(std::int64_t raw) { return static_cast<double>(raw) * 0x1p-32; }

// Float mode's numbers are binary32: their shortest text is shorter than their double's.
void add_real(std::string& row, double value, NumbersMode numbers) {
  if (numbers == NumbersMode::kFloat) {
    add_column(row, static_cast<float>(value));
  } else {
    add_column(row, value);
  }
}

}  // namespace

BodyTable::BodyTable(OutputFile file, const sim::Scene* scene) : file_(std::move(file)) {
  if (scene == nullptr) return;
  for (const sim::SceneBody& body : scene->bodies) names_.push_back(csv_text(body.name));
}

Result<BodyTable, server::FileError> BodyTable::create(const std::string& path, const sim::Scene* scene) {
  Result<OutputFile, server::FileError> file = OutputFile::create(path, Latecomer::kReplace);
  if (!file) return file.error();
  BodyTable table(*std::move(file), scene);
  if (!table.put("tick,body,generation,name,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz\n"))
    return server::FileError{table.failure()};
  return table;
}

bool BodyTable::put(const std::string& text) { return file_.write(std::as_bytes(std::span(text))); }

bool BodyTable::write(const sim::AnyWorld& world) {
  rows_.clear();
  world.list_bodies(bodies_);
  NumbersMode const numbers = world.numbers();
  for (BodyId const id : bodies_) {
    sim::BodyView const body = world.view(id);
    if (body.type == BodyType::kStatic) continue;
    add_number(rows_, world.tick());
    add_column(rows_, id.index);
    add_column(rows_, id.generation);
    rows_ += ',';
    if (id.generation == 1 && id.index < names_.size()) rows_ += names_[id.index];
    for (std::int64_t const raw : {body.position.x_raw, body.position.y_raw, body.position.z_raw})
      add_column(rows_, metres(raw));
    for (double const value : {body.rotation.x, body.rotation.y, body.rotation.z, body.rotation.w})
      add_real(rows_, value, numbers);
    for (const Vec3<double>& v : {body.linear_velocity_m_s, body.angular_velocity_rad_s}) {
      for (double const value : {v.x, v.y, v.z}) add_real(rows_, value, numbers);
    }
    rows_ += '\n';
  }
  return put(rows_);
}

}  // namespace takt::cli
