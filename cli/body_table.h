// BodyTable writes a world's bodies as CSV to an OutputFile, which gets its name in close(). write() appends
// one row with tick, index, name, pose and velocities for each body that is not static. Each number is the
// shortest text that reads back as the same value, independent of the locale. In float mode that is a float
// for rotations and velocities; all other real numbers are doubles. `takt run --csv` writes the table tick by
// tick, and `takt replay seek --csv` writes the bodies of one tick.
#pragma once

#include <string>
#include <vector>

#include "cli/output_file.h"
#include "server/file_bytes.h"
#include "takt/core/result.h"
#include "takt/sim/any_world.h"
#include "takt/sim/scene.h"

namespace takt::cli {

class BodyTable {
 public:
  /// Creates the file (OutputFile::create) and writes the header row. `scene` has the names of bodies; null =
  /// no names.
  [[nodiscard]] static Result<BodyTable, server::FileError> create(const std::string& path,
                                                                   const sim::Scene* scene);

  /// Columns: tick; body (index); generation (1, and 1 more for each earlier body of that index); name (of
  /// the scene's bodies, quoted if it has a comma, a quote or a line end); x, y, z of the origin (m); qx, qy,
  /// qz, qw; vx, vy, vz of the centre of mass (m/s); wx, wy, wz (rad/s). False when the file cannot be
  /// written; failure() has the reason.
  [[nodiscard]] bool write(const sim::AnyWorld& world);
  /// Replaces an earlier file by the table; false after any failure. Without close() the earlier file stays.
  [[nodiscard]] bool close() { return file_.close(); }
  [[nodiscard]] const std::string& failure() const noexcept { return file_.failure(); }

 private:
  BodyTable(OutputFile file, const sim::Scene* scene);
  [[nodiscard]] bool put(const std::string& text);
  OutputFile file_;
  std::vector<std::string> names_;  // as columns, by index; bodies of a scene have generation 1
  std::string rows_;                // scratch
  std::vector<BodyId> bodies_;      // scratch
};

}  // namespace takt::cli
