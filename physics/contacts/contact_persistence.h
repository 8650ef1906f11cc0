// From a step's contacts to the stored ones, which the next tick finds again.
#pragma once

#include "physics/step/step.h"

namespace takt {

/// Room for the next records. Returns how many parts write_records() takes; each once, in any order or at the
/// same time.
template <class Real>
[[nodiscard]] std::size_t begin_records(DerivedState<Real>& derived);
/// Writes a part of derived.records: the kept records and what the step left in the contacts found.
template <class Real>
void write_records(const WorldState<Real>& state, DerivedState<Real>& derived, std::size_t part);
/// After all parts: reports touches that began and ended, and replaces state.contacts by the records.
template <class Real>
void replace_contacts(WorldState<Real>& state, DerivedState<Real>& derived, StepEvents& events,
                      TaskPool* pool);

}  // namespace takt
