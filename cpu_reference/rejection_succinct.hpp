// Rejection sampling of Bringmann and Larsen in its succinct form (thesis 2.8).
#pragma once

#include "cpu_reference/rejection.hpp"

namespace wrsgpu {

/// The list as a bit vector with constant-time rank: about 2N bits. Draws the samples of
/// `Rejection`.
class RejectionSuccinct final : public BasicRejection<OccurrenceBits> {
 public:
  using BasicRejection::BasicRejection;
};

}  // namespace wrsgpu
