#include "tests/determinism/chronicle.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

#include "takt/core/bytes.h"
#include "takt/core/hash.h"

namespace takt::determinism {
namespace {

std::uint64_t chained(std::uint64_t chain, std::uint64_t hash) {
  std::array<std::byte, 16> bytes;
  store_little_endian(bytes.data(), chain);
  store_little_endian(bytes.data() + 8, hash);
  return hash_bytes(bytes);
}

/// Every event in the order in which it was reported; 0 when there was none.
std::uint64_t digest(const StepEvents& events) {
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  auto const ids = [&out](const auto& list, auto&&... members) {
    out.put(static_cast<std::uint32_t>(list.size()));
    for (const auto& event : list) (out.put((event.*members).to_u64()), ...);
  };
  ids(events.contact_begin, &ContactEvent::shape_a, &ContactEvent::shape_b);
  ids(events.contact_end, &ContactEvent::shape_a, &ContactEvent::shape_b);
  ids(events.hits, &HitEvent::shape_a, &HitEvent::shape_b);
  for (const HitEvent& hit : events.hits) {
    for (std::int64_t const raw : {hit.point.x_raw, hit.point.y_raw, hit.point.z_raw}) out.put(raw);
    for (double const value :
         {hit.normal.x, hit.normal.y, hit.normal.z, hit.approach_speed_m_s, hit.impulse_n_s})
      out.put(value);
  }
  ids(events.sensor_begin, &SensorOverlap::sensor, &SensorOverlap::visitor);
  ids(events.sensor_end, &SensorOverlap::sensor, &SensorOverlap::visitor);
  for (const auto* const list : {&events.quarantined, &events.slept, &events.woken}) {
    out.put(static_cast<std::uint32_t>(list->size()));
    for (BodyId const body : *list) out.put(body.to_u64());
  }
  bool const any = std::any_of(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{0}; });
  return any ? hash_bytes(bytes) : 0;
}

std::string hex(std::uint64_t value, int digits) {
  char text[20];
  std::snprintf(text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

std::uint16_t fingerprint(std::uint64_t hash) { return static_cast<std::uint16_t>(hash); }

constexpr std::string_view kFirstLine = "# takt golden table 1: ";

}  // namespace

void Chronicle::note(std::uint64_t tick, std::uint64_t hash, std::uint64_t bytes, std::uint64_t events) {
  std::uint64_t const chain = chained(marks_.empty() ? 0 : marks_.back().chain, hash);
  marks_.push_back({tick, bytes, hash, events == 0 ? chain : chained(chain, events), events});
}

void Chronicle::note(const sim::Simulation& simulation) {
  bool const row = simulation.tick() % kRowTicks == 0;
  note(simulation.tick(), simulation.hash(), row ? simulation.save().size() : 0, digest(simulation.events()));
}

std::string first_difference(const Chronicle& expected, const Chronicle& run) {
  std::size_t const count = std::min(expected.marks().size(), run.marks().size());
  for (std::size_t i = 0; i < count; ++i) {
    const Mark& want = expected.marks()[i];
    const Mark& got = run.marks()[i];
    std::string const at = "tick " + std::to_string(want.tick) + ": ";
    if (want.tick != got.tick) return at + "the run is at tick " + std::to_string(got.tick);
    if (want.bytes != 0 && got.bytes != 0 && want.bytes != got.bytes) {
      return at + "the encoding has " + std::to_string(got.bytes) + " bytes instead of " +
             std::to_string(want.bytes) + " (its layout or the number of bodies changed)";
    }
    if (want.hash == got.hash && want.events != got.events)
      return at + "the state agrees, but the events or their order differ";
    if (want.hash != got.hash)
      return at + "values differ: hash 0x" + hex(got.hash, 16) + " instead of 0x" + hex(want.hash, 16);
  }
  return {};
}

GoldenTable to_golden(const Chronicle& run, std::uint64_t scene_hash) {
  GoldenTable table{scene_hash, {}};
  std::vector<std::uint16_t> between;
  for (const Mark& mark : run.marks()) {
    between.push_back(fingerprint(mark.hash));
    if (mark.tick % kRowTicks != 0) continue;
    table.rows.push_back({mark.tick, mark.bytes, mark.chain, between});
    between.clear();
  }
  return table;
}

std::string to_text(const GoldenTable& table, std::string_view name) {
  std::string out{kFirstLine};
  out += name;
  out +=
      "\n# Printed by ./dev golden. A change is a commit of its own that says why the bits had to change "
      "(docs/DETERMINISM.md).\n";
  out +=
      "# tick, bytes of the image, chained digest, then the last 16 bits of the hash of every tick since the "
      "row before\n";
  out += "scene 0x" + hex(table.scene_hash, 16) + "\n";
  for (const GoldenRow& row : table.rows) {
    out += std::to_string(row.tick) + ' ' + std::to_string(row.bytes) + " 0x" + hex(row.chain, 16) + ' ';
    for (std::uint16_t const print : row.fingerprints) out += hex(print, 4);
    out += '\n';
  }
  return out;
}

std::optional<GoldenTable> parse_golden(std::string_view text) {
  if (!text.starts_with(kFirstLine)) return std::nullopt;
  GoldenTable table;
  std::istringstream in{std::string(text)};
  std::string line;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string first;
    std::string digest;
    std::string prints;
    words >> first;
    if (first == "scene") {
      words >> digest;
      table.scene_hash = std::strtoull(digest.c_str(), nullptr, 16);
      continue;
    }
    GoldenRow row;
    row.tick = std::strtoull(first.c_str(), nullptr, 10);
    words >> row.bytes >> digest >> prints;
    if (!words || prints.size() % 4 != 0) return std::nullopt;
    row.chain = std::strtoull(digest.c_str(), nullptr, 16);
    for (std::size_t i = 0; i < prints.size(); i += 4) {
      row.fingerprints.push_back(
          static_cast<std::uint16_t>(std::strtoul(prints.substr(i, 4).c_str(), nullptr, 16)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string first_difference(const GoldenTable& expected, const Chronicle& run) {
  std::size_t at = 0;  // next mark of the run
  const std::vector<Mark>& marks = run.marks();
  for (const GoldenRow& row : expected.rows) {
    std::string where;
    for (std::uint16_t const print : row.fingerprints) {
      if (at == marks.size()) return {};
      const Mark& got = marks[at++];
      if (fingerprint(got.hash) != print && where.empty()) where = "tick " + std::to_string(got.tick) + ": ";
    }
    const Mark& got = marks[at - 1];
    if (got.tick != row.tick)
      return "tick " + std::to_string(row.tick) + ": the run has tick " + std::to_string(got.tick) +
             " in its place";
    if (got.bytes != row.bytes) {
      return (where.empty() ? "tick " + std::to_string(row.tick) + ": " : where) +
             "encoding changed: " + std::to_string(got.bytes) + " bytes instead of " +
             std::to_string(row.bytes) + " at tick " + std::to_string(row.tick) +
             " (or another number of bodies)";
    }
    if (got.chain != row.chain) {
      // a hash whose last 16 bits agree by chance is found by the chain, up to a row later
      if (where.empty())
        where = "tick " + std::to_string(row.tick) + " or up to " + std::to_string(kRowTicks) + " before: ";
      return where + "values changed: the digest up to tick " + std::to_string(row.tick) + " is 0x" +
             hex(got.chain, 16) + " instead of 0x" + hex(row.chain, 16);
    }
  }
  return {};
}

}  // namespace takt::determinism
