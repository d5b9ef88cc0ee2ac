#include "wrsgpu/detail/sampling/gpu_sampler_options.hpp"

#include <array>
#include <utility>

#include "wrsgpu/detail/core/enum_names.hpp"

namespace wrsgpu {
namespace {

constexpr std::array<std::pair<GpuGenerator, std::string_view>, 5> generator_names{{
    {GpuGenerator::philox, "philox"},
    {GpuGenerator::philox7, "philox7"},
    {GpuGenerator::xorwow, "xorwow"},
    {GpuGenerator::mrg32k3a, "mrg32k3a"},
    {GpuGenerator::mtgp32, "mtgp32"},
}};
constexpr std::array<std::pair<Seeding, std::string_view>, 3> seeding_names{{
    {Seeding::subsequence, "subsequence"},
    {Seeding::pkpt_md5, "pkpt_md5"},
    {Seeding::pkpt_sha1, "pkpt_sha1"},
}};

}  // namespace

std::string_view to_string(GpuGenerator generator) {
  return name_of_value(generator_names, generator);
}
std::string_view to_string(Seeding seeding) { return name_of_value(seeding_names, seeding); }

GpuGenerator parse_gpu_generator(std::string_view name) {
  return value_of_name(generator_names, name, "generator");
}
Seeding parse_seeding(std::string_view name) {
  return value_of_name(seeding_names, name, "seeding");
}

}  // namespace wrsgpu
