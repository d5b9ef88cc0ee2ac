#include "construction/pack/shared_memory.cuh"

namespace wrsgpu::pack {

PackMethod shared_memory_method() {
  return {.name = "shared_memory",
          .source = "thesis 3.2.2",
          .summary = "l and h of 32 sections copied to shared memory, packed by one warp",
          .launch = launch_shared_memory<128, 32>,
          .section_items = 64,
          .max_section_items = max_shared_memory_items<32>};
}

PackMethod shared_memory_branched_method() {
  return branched(shared_memory_method(), launch_shared_memory<128, 32, Form::readable>);
}

}  // namespace wrsgpu::pack
