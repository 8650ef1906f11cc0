#include "cli/body_table.h"

#include <cerrno>
#include <charconv>

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

Result<BodyTable, server::FileError> BodyTable::create(const std::string& path) {
  errno = 0;
  File file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file) return server::FileError{server::file_error(path, "cannot be created")};
  BodyTable table(path, std::move(file));
  if (!table.put("tick,body,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz\n")) return server::FileError{table.failure_};
  return table;
}

bool BodyTable::put(const std::string& text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size()) return true;
  failure_ = server::file_error(path_, "cannot be written");
  return false;
}

bool BodyTable::write(const sim::AnyWorld& world) {
  rows_.clear();
  world.list_bodies(bodies_);
  NumbersMode const numbers = world.numbers();
  for (BodyId const id : bodies_) {
    sim::BodyView const body = world.view(id);
    if (body.type == BodyType::kStatic) continue;
    add_number(rows_, world.tick());
    add_column(rows_, id.to_u64());
    for (std::int64_t const raw : {body.position.x, body.position.y, body.position.z})
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

bool BodyTable::close() {
  errno = 0;
  bool const closed = std::fclose(file_.release()) == 0;
  if (!closed) failure_ = server::file_error(path_, "cannot be closed");
  return closed;
}

}  // namespace takt::cli
