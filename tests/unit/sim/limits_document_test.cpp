// docs/LIMITS.md against the code: each constant that the page names has the value that the page states.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "takt/physics/joint.h"
#include "takt/physics/query.h"
#include "takt/physics/rope.h"
#include "takt/physics/row_solver.h"
#include "takt/physics/surface.h"
#include "takt/sim/command.h"
#include "takt/sim/recording.h"
#include "takt/sim/scene.h"

namespace takt::sim {
namespace {

TEST(LimitsDocument, TheLimitsAreTheCodes) {
  std::map<std::string, double> const code{
      {"kWorldLimitM", kWorldLimitM},
      {"kMinExtentM", kMinExtentM},
      {"kMinRoundingM", kMinRoundingM},
      {"kMaxExtentM", kMaxExtentM},
      {"kMinMassKg", kMinMassKg},
      {"kMaxMassKg", kMaxMassKg},
      {"kMaxLinearSpeedMS", kMaxLinearSpeedMS},
      {"kMaxAngularSpeedRadS", kMaxAngularSpeedRadS},
      {"kMaxSurfaceSpeedMS", kMaxSurfaceSpeedMS},
      {"kMaxShapesPerBody", kMaxShapesPerBody},
      {"kMaxHullPoints", kMaxHullPoints},
      {"kMaxHullVertices", kMaxHullVertices},
      {"kMaxMeshTriangles", kMaxMeshTriangles},
      {"kMaxMeshVertices", kMaxMeshVertices},
      {"kMaxHeightSamples", kMaxHeightSamples},
      {"kMaxSurfaceMaterials", kMaxSurfaceMaterials},
      {"kMinTriangleHeightM", kMinTriangleHeightM},
      {"kMaxRopeNodes", kMaxRopeNodes},
      {"kMaxWorldRopeNodes", kMaxWorldRopeNodes},
      {"kMaxJointCoordinate", kMaxJointCoordinate},
      {"kMaxJointSpeed", kMaxJointSpeed},
      {"kMaxQueryLengthM", kMaxQueryLengthM},
      {"kMaxQueryIgnored", static_cast<double>(kMaxQueryIgnored)},
      {"kMaxDirectRows", static_cast<double>(kMaxDirectRows)},
      {"kMaxSceneTextBytes", static_cast<double>(kMaxSceneTextBytes)},
      {"kMaxSceneBodies", kMaxSceneBodies},
      {"kMaxCustomBytes", static_cast<double>(kMaxCustomBytes)},
      {"kMaxGameMessageBytes", static_cast<double>(kMaxGameMessageBytes)},
      {"kMaxGameMessagesPerTick", static_cast<double>(kMaxGameMessagesPerTick)},
      {"kMaxRefusalTextBytes", static_cast<double>(kMaxRefusalTextBytes)},
      {"kMaxPlayerNameBytes", static_cast<double>(kMaxPlayerNameBytes)},
      {"kMaxForceTicks", kMaxForceTicks},
      {"kMaxCommandCoordinateM", static_cast<double>(kMaxCommandCoordinateM)},
      {"kMaxChunkBytes", kMaxChunkBytes},
  };
  std::ifstream in(std::string(TAKT_SOURCE_DIR) + "/docs/LIMITS.md");
  static const std::regex kRow(R"(\| `(k\w+)` \| ([0-9.]+)[^|]*\| .*)");
  std::map<std::string, double> document;
  std::smatch cells;
  for (std::string line; std::getline(in, line);) {
    if (std::regex_match(line, cells, kRow)) document[cells[1]] = std::stod(cells[2]);
  }
  EXPECT_EQ(document, code);
}

}  // namespace
}  // namespace takt::sim
