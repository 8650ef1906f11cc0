// The geometry of hulls, meshes and height fields: its bytes, every way they can be wrong, and how slices are
// put together.
#include "protocol/messages/geometry.h"

#include <gtest/gtest.h>

#include <limits>

#include "protocol/session/geometry_assembler.h"
#include "protocol/wire/limits.h"
#include "takt/core/bytes.h"
#include "tests/unit/protocol/golden_geometries.h"

namespace takt::protocol {
namespace {

using test::field_of;
using test::golden_geometries;
using Bytes = std::vector<std::byte>;

template <class T>
Bytes with(Bytes bytes, std::size_t at, T value) {
  store_little_endian(bytes.data() + at, value);
  return bytes;
}

const Geometry& named(const std::vector<std::pair<std::string, Geometry>>& all, const std::string& name) {
  for (auto const& [key, geometry] : all)
    if (key == name) return geometry;
  ADD_FAILURE() << name;
  return all.front().second;
}

TEST(Geometry, RoundTrips) {
  for (auto const& [name, geometry] : golden_geometries()) {
    auto const bytes = encode(geometry);
    EXPECT_EQ(bytes.size(), encoded_bytes(geometry)) << name;
    auto const decoded = decode_geometry(geometry.kind, bytes);
    ASSERT_TRUE(decoded.ok()) << name << ": " << message(decoded.error());
    EXPECT_EQ(*decoded, geometry) << name;
  }
}

TEST(Geometry, BytesOfAnyLengthButTheirOwnAreRefused) {
  for (auto const& [name, geometry] : golden_geometries()) {
    auto const bytes = encode(geometry);
    for (std::size_t n = 0; n < bytes.size(); ++n)
      EXPECT_EQ(decode_geometry(geometry.kind, std::span(bytes).first(n)).error(), Error::kTooShort)
          << name << " cut at " << n;
    auto longer = bytes;
    longer.push_back({});
    EXPECT_EQ(decode_geometry(geometry.kind, longer).error(), Error::kTooLong) << name;
  }
}

TEST(Geometry, WhatIsAcceptedOfChangedBytesSaysTheSameWhenWrittenAgain) {
  std::size_t refused = 0;
  std::size_t taken = 0;
  for (auto const& [name, geometry] : golden_geometries()) {
    auto bytes = encode(geometry);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::byte const before = bytes[at];
      for (int value = 0; value < 256; ++value) {
        bytes[at] = static_cast<std::byte>(value);
        auto const decoded = decode_geometry(geometry.kind, bytes);
        ++(decoded.ok() ? taken : refused);
        if (decoded) {
          ASSERT_EQ(encode(*decoded), bytes) << name << " byte " << at << " = " << value;
        }
      }
      bytes[at] = before;
    }
  }
  EXPECT_GT(refused, 5000u);
  EXPECT_GT(taken, 5000u);
}

TEST(Geometry, RefusesByNameWhatCannotBeDrawn) {
  auto const all = golden_geometries();
  auto const hull = encode(named(all, "hull_tetrahedron"));
  auto const mesh = encode(named(all, "mesh_roof"));
  auto const field = encode(named(all, "field_with_holes"));
  float const nan = std::numeric_limits<float>::quiet_NaN();
  struct Case {
    const char* what;
    GeometryKind kind;
    Bytes bytes;
    Error error;
  };
  using enum GeometryKind;
  for (const Case& c : {
           Case{"NaN in a hull", kHull, with(hull, 12, nan), Error::kNotFinite},
           Case{"a corner too far away", kHull, with(hull, 12, 2e6f), Error::kOutOfRange},
           Case{"a face of two corners", kHull, with(with(hull, 60, std::uint8_t{2}), 61, std::uint8_t{4}),
                Error::kOutOfRange},
           Case{"faces that do not add up", kHull, with(hull, 60, std::uint8_t{4}), Error::kOutOfRange},
           Case{"a corner that is not there", kHull, with(hull, 64, std::uint8_t{4}), Error::kOutOfRange},
           Case{"more vertices than bytes", kHull, with(hull, 0, 0xffffffffu), Error::kTooShort},
           Case{"infinity in a mesh", kMesh, with(mesh, 20, std::numeric_limits<float>::infinity()),
                Error::kNotFinite},
           Case{"a vertex that is not there", kMesh, with(mesh, 12 + 72, std::uint32_t{6}),
                Error::kOutOfRange},
           Case{"an unknown flag", kMesh, with(mesh, 8, std::uint32_t{2}), Error::kOutOfRange},
           Case{"a field of one row", kHeightField,
                with(with(field, 0, std::uint32_t{1}), 4, std::uint32_t{20}), Error::kTooLong},
           Case{"a field of 2^64 samples", kHeightField, with(with(field, 0, 0xffffffffu), 4, 0xffffffffu),
                Error::kTooShort},
           Case{"no spacing", kHeightField, with(field, 12, 0.0f), Error::kOutOfRange},
           Case{"a height that is NaN", kHeightField, with(field, 24, nan), Error::kNotFinite},
           Case{"a hole behind the last cell", kHeightField,
                with(field, field.size() - 1, std::uint8_t{0x1a}), Error::kOutOfRange},
       }) {
    auto const decoded = decode_geometry(c.kind, c.bytes);
    ASSERT_FALSE(decoded.ok()) << c.what;
    EXPECT_EQ(decoded.error(), c.error) << c.what;
  }
  EXPECT_EQ(decode_geometry(kMesh, Bytes(kGeometryBytesMax + 1)).error(), Error::kTooLong);
}

TEST(Geometry, TheLargestHeightFieldAndAMeshOf230000TrianglesAreSent) {
  EXPECT_LE(encoded_bytes(field_of(512, 1024)), kGeometryBytesMax);
  EXPECT_LE(12u + 12u * 115'200u + 12u * 230'000u, kGeometryBytesMax);
}

class Assembly : public testing::Test {
 protected:
  using Outcome = GeometryAssembler::Outcome;
  // All slices of a geometry but the last, and then the last.
  Outcome feed(std::uint64_t digest, const Geometry& geometry) {
    auto const bytes = encode(geometry);
    Outcome outcome = Outcome::kNeedMore;
    for (std::size_t at = 0; at < bytes.size(); at += kGeometrySliceBytes) {
      EXPECT_EQ(outcome, Outcome::kNeedMore);
      outcome = assembler.handle_slice(slice_of(digest, geometry, at));
    }
    return outcome;
  }
  static GeometrySlice slice_of(std::uint64_t digest, const Geometry& geometry, std::size_t at) {
    auto const bytes = encode(geometry);
    auto const part = std::span(bytes).subspan(at, std::min(kGeometrySliceBytes, bytes.size() - at));
    return {digest,
            geometry.kind,
            static_cast<std::uint32_t>(bytes.size()),
            static_cast<std::uint32_t>(at),
            {part.begin(), part.end()}};
  }
  GeometryAssembler assembler;
};

TEST_F(Assembly, PutsSlicesTogetherOneGeometryAfterTheOther) {
  Geometry const large = field_of(200, 200);
  ASSERT_GT(encoded_bytes(large), 4 * kGeometrySliceBytes);
  ASSERT_EQ(feed(7, large), Outcome::kComplete);
  EXPECT_EQ(assembler.digest(), 7u);
  EXPECT_EQ(assembler.take(), large);
  for (std::uint64_t digest = 8; auto const& [name, geometry] : golden_geometries()) {
    ASSERT_EQ(feed(digest, geometry), Outcome::kComplete) << name;
    EXPECT_EQ(assembler.digest(), digest++);
    EXPECT_EQ(assembler.take(), geometry);
  }
}

TEST_F(Assembly, RefusesSlicesThatDoNotFollow) {
  Geometry const large = field_of(200, 200);
  EXPECT_EQ(assembler.handle_slice(slice_of(7, large, kGeometrySliceBytes)), Outcome::kBad)
      << "without the first";
  GeometrySlice empty = slice_of(7, large, 0);
  empty.bytes.clear();
  EXPECT_EQ(GeometryAssembler().handle_slice(empty), Outcome::kBad);
  auto const after_first = [&](const GeometrySlice& slice) {
    GeometryAssembler fresh;
    EXPECT_EQ(fresh.handle_slice(slice_of(7, large, 0)), Outcome::kNeedMore);
    return fresh.handle_slice(slice);
  };
  EXPECT_EQ(after_first(slice_of(7, large, kGeometrySliceBytes)), Outcome::kNeedMore);
  EXPECT_EQ(after_first(slice_of(7, large, 0)), Outcome::kBad) << "twice";
  EXPECT_EQ(after_first(slice_of(7, large, 2 * kGeometrySliceBytes)), Outcome::kBad) << "one left out";
  EXPECT_EQ(after_first(slice_of(8, large, kGeometrySliceBytes)), Outcome::kBad) << "of another geometry";
  GeometrySlice other_kind = slice_of(7, large, kGeometrySliceBytes);
  other_kind.kind = GeometryKind::kMesh;
  EXPECT_EQ(after_first(other_kind), Outcome::kBad);
}

TEST_F(Assembly, RefusesAGeometryThatIsKnownOrDoesNotDecode) {
  Geometry const small = field_of(2, 2);
  ASSERT_EQ(feed(7, small), Outcome::kComplete);
  EXPECT_EQ(feed(7, small), Outcome::kBad);
  GeometrySlice bent = slice_of(9, small, 0);
  bent.kind = GeometryKind::kHull;
  EXPECT_EQ(GeometryAssembler().handle_slice(bent), Outcome::kBad);
  assembler.clear();
  EXPECT_EQ(feed(7, small), Outcome::kComplete) << "another epoch may name it anew";
}

TEST_F(Assembly, HoldsTheLimitsOfAnEpoch) {
  Geometry const largest = field_of(1024, 512);
  std::uint64_t const bytes = encoded_bytes(largest);
  std::uint64_t digest = 1;
  for (std::uint64_t total = bytes; total <= kGeometryTotalBytesMax; total += bytes)
    ASSERT_EQ(feed(digest++, largest), Outcome::kComplete);
  EXPECT_EQ(assembler.handle_slice(slice_of(digest, largest, 0)), Outcome::kBad)
      << "more bytes than an epoch has";
  assembler.clear();
  Geometry const min = field_of(2, 2);
  for (std::size_t i = 0; i < kGeometriesMax; ++i) ASSERT_EQ(feed(i + 1, min), Outcome::kComplete);
  EXPECT_EQ(feed(kGeometriesMax + 1, min), Outcome::kBad);
}

}  // namespace
}  // namespace takt::protocol
