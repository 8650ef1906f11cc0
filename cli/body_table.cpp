#include "cli/body_table.h"

#include <span>

#include "cli/csv_row.h"

namespace takt::cli {

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
    append_number(rows_, world.tick());
    append_column(rows_, id.index);
    append_column(rows_, id.generation);
    rows_ += ',';
    if (id.generation == 1 && id.index < names_.size()) rows_ += names_[id.index];
    for (std::int64_t const raw : {body.position.x_raw, body.position.y_raw, body.position.z_raw})
      append_column(rows_, metres_of(raw));
    for (double const value : {body.rotation.x, body.rotation.y, body.rotation.z, body.rotation.w})
      append_real(rows_, value, numbers);
    for (const Vec3<double>& v : {body.linear_velocity_m_s, body.angular_velocity_rad_s}) {
      for (double const value : {v.x, v.y, v.z}) append_real(rows_, value, numbers);
    }
    rows_ += '\n';
  }
  return put(rows_);
}

}  // namespace takt::cli
