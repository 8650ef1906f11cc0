// solid_mass() computes volume, centre of mass and inertia (SolidMass) of a convex polyhedron
// (PolyhedronView) of density 1 kg/m^3, with sharp or rounded edges. The results are exact up to the rounding
// of doubles, and of the angles of rounded edges to 1e-10 rad. rounded_mass() (hull_geometry.h) calls
// solid_mass() for hulls; mass_properties.h applies the density and pose of a shape.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "takt/physics/vector.h"

namespace takt {

/// A range of a list of vertex indices.
struct LoopRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// A closed polyhedron. `faces` are ranges of `loops`, which has vertex indices, counter-clockwise seen from
/// outside. Each edge is in two faces. The data belongs to the caller.
struct PolyhedronView {
  std::span<const Vec3<double>> vertices;
  std::span<const std::uint8_t> loops;
  std::span<const LoopRange> faces;
};

/// Mass properties of a solid with density 1 kg/m^3.
struct SolidMass {
  double volume_m3 = 0.0;
  Vec3<double> center_m{};          ///< centre of mass, in the frame of the vertices
  std::array<double, 6> inertia{};  ///< kg m^2 about center_m; xx, yy, zz, xy, xz, yz
};

/// Mass properties of a convex polyhedron enlarged by `rounding_m`, m, at least 0 (0 is the polyhedron
/// itself). Source: tetrahedra over fans of each face, F. Tonon, Explicit Exact Formulas for the 3-D
/// Tetrahedron Inertia Tensor (2004). The rounded part follows Steiner: a slab on each face, a wedge of a
/// cylinder along each edge, a sector of a ball at each corner. The source file derives their moments.
[[nodiscard]] SolidMass solid_mass(const PolyhedronView& solid, double rounding_m);

}  // namespace takt
