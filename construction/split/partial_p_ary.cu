#include "construction/split/partial_p_ary.cuh"

namespace wrsgpu::split {

SplitMethod partial_p_ary_method() {
  return {.name = "partial_p_ary",
          .source = "thesis 3.1.2",
          .summary = "128 splits by a block: partial p-ary search, then binary search",
          .launch = launch_partial_p_ary<128>};
}

}  // namespace wrsgpu::split
