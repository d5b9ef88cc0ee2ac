// Rendering on the threads of the host.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "examples/lighting/environment.hpp"
#include "examples/lighting/light_sampling.hpp"
#include "examples/lighting/study.hpp"
#include "examples/lighting/vectors.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/weighted_sampler.hpp"

namespace lighting {

/// The irradiance at each normal; see `Render`.
template <class Sampling>
std::vector<Colour> render_on_host(const Sampling& sampling, const std::vector<Vector>& normals,
                                   std::uint32_t samples, std::uint64_t first) {
  const wrsgpu::RandomWords words(seed);
  std::vector<Colour> irradiances(normals.size());
  wrsgpu::parallel_for(normals.size(), 0, [&](std::uint64_t i) {
    irradiances[i] = estimate_irradiance(sampling, normals[i], words, first + i * samples, samples);
  });
  return irradiances;
}

/// Refers to its arguments.
inline Render make_host_render(const Environment& map, const std::vector<Vector>& normals) {
  const auto sampler = std::make_shared<const wrsgpu::WeightedSampler>(
      pixel_weights(map.view()), wrsgpu::WeightedSamplerOptions{.with_probabilities = true});
  return [&map, &normals, sampler](Strategy strategy, std::uint32_t samples, std::uint64_t first) {
    return strategy == Strategy::uniform
               ? render_on_host(UniformSampling(map.view()), normals, samples, first)
               : render_on_host(MapSampling(map.view(), sampler->view_with_probabilities()),
                                normals, samples, first);
  };
}

}  // namespace lighting
