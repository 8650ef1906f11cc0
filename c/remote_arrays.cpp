#include "c/remote_arrays.h"

#include "service/wire/values.h"

namespace takt::c {

bool RemoteArrays::apply(const service::wire::Observation* observation) {
  if (columns_ == 0) return true;
  if (observation == nullptr || observation->columns() != columns_ || observation->data() == nullptr)
    return false;
  std::size_t const rows = observation->rows();
  std::size_t const worlds = world_axis_ ? worlds_ : 1;
  if (observation->worlds() != (world_axis_ ? worlds_ : 0)) return false;
  std::uint64_t words = 0;
  for (std::uint32_t field = 0; field < kFieldCount; ++field) {
    if ((columns_ >> field & 1u) != 0) words += service::words_of(worlds * rows * row_bytes(field));
  }
  if (observation->data()->size() != words) return false;
  const std::uint8_t* in = observation->data()->Data();
  for (std::uint32_t field = 0; field < kFieldCount; ++field) {
    if ((columns_ >> field & 1u) == 0) continue;
    std::size_t const bytes = worlds * rows * row_bytes(field);
    Field& array = fields_[field];
    if (!array.memory || array.rows != rows) {
      array.memory = std::make_shared<std::uint64_t[]>(service::words_of(bytes) + 1);
      array.rows = rows;
    }
    service::copy_column(array.memory.get(), in, bytes, field == TAKT_BODY_FLAGS ? 1 : 8);
    in += 8 * service::words_of(bytes);
  }
  rows_ = rows;
  return true;
}

}  // namespace takt::c
