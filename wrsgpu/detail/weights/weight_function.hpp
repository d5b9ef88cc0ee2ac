// Maps the name of a distribution to the function that gives its weights.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "wrsgpu/detail/weights/distributions/binomial.hpp"
#include "wrsgpu/detail/weights/distributions/equal.hpp"
#include "wrsgpu/detail/weights/distributions/heavy_chunks.hpp"
#include "wrsgpu/detail/weights/distributions/heavy_fraction.hpp"
#include "wrsgpu/detail/weights/distributions/info.hpp"
#include "wrsgpu/detail/weights/distributions/normal.hpp"
#include "wrsgpu/detail/weights/distributions/np_edge.hpp"
#include "wrsgpu/detail/weights/distributions/one_heavy.hpp"
#include "wrsgpu/detail/weights/distributions/one_light.hpp"
#include "wrsgpu/detail/weights/distributions/powerlaw.hpp"
#include "wrsgpu/detail/weights/distributions/ramp.hpp"
#include "wrsgpu/detail/weights/distributions/sine.hpp"
#include "wrsgpu/detail/weights/distributions/square_wave.hpp"
#include "wrsgpu/detail/weights/distributions/uniform.hpp"
#include "wrsgpu/detail/weights/distributions/words.hpp"

namespace wrsgpu::weights {

/// The weights of one named distribution with n and seed fixed; a new distribution is one more
/// alternative. Generation visits it, so that the loop over the items is compiled for each
/// alternative.
using WeightFunction = std::variant<  //
    Uniform,                          //
    PowerLaw,                         //
    ShuffledPowerLaw,                 //
    Normal,                           //
    Binomial,                         //
    Ramp,                             //
    Sine,                             //
    OneHeavy,                         //
    OneLight,                         //
    NpEdge,                           //
    RandomHeavyFraction,              //
    LeadingHeavyFraction,             //
    SquareWave,                       //
    HeavyChunks,                      //
    Equal,                            //
    Words>;

/// Every distribution, in the order of `WeightFunction`.
[[nodiscard]] const std::vector<DistributionInfo>& distributions();

/// The distribution to which `name` belongs. Throws `Error` that lists the known patterns.
[[nodiscard]] const DistributionInfo& find_distribution(std::string_view name);

/// The weights of `n` items of the distribution `name`. Throws `Error` for an unknown name and for
/// n = 0 or n > max_items.
[[nodiscard]] WeightFunction make_weight_function(std::string_view name, std::uint64_t n,
                                                  std::uint64_t seed);

}  // namespace wrsgpu::weights
