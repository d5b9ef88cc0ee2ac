// Image-based lighting on the GPU: one thread per pixel of the sphere, which draws from a view of
// the sampler. image_based_lighting_on_cpu.cpp says what it computes and writes.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

#include "examples/device_memory.cuh"
#include "examples/lighting/environment.hpp"
#include "examples/lighting/light_sampling.hpp"
#include "examples/lighting/study.hpp"
#include "wrsgpu/gpu_weighted_sampler.cuh"
#include "wrsgpu_commit.hpp"

namespace {

using lighting::Colour;
using lighting::Vector;

constexpr unsigned threads = 64;

template <class Sampling>
__global__ void shade(Sampling sampling, wrsgpu::RandomWords words, const Vector* normals,
                      std::uint64_t count, std::uint32_t samples, std::uint64_t first,
                      Colour* irradiances) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  irradiances[i] =
      lighting::estimate_irradiance(sampling, normals[i], words, first + i * samples, samples);
}

/// A map, its sampler, and the normals of the sphere, in device memory.
class DeviceScene {
 public:
  DeviceScene(const lighting::Environment& map, const std::vector<Vector>& normals)
      : width_(map.width),
        height_(map.height),
        sampler_(lighting::pixel_weights(map.view()),
                 wrsgpu::WeightedSamplerOptions{.with_probabilities = true}),
        pixels_(normals.size()),
        radiances_(example::to_device(map.radiances)),
        normals_(example::to_device(normals)),
        irradiances_(example::allocate<Colour>(pixels_)) {}

  std::vector<Colour> render(lighting::Strategy strategy, std::uint32_t samples,
                             std::uint64_t first) {
    const lighting::EnvironmentView map(radiances_.get(), width_, height_);
    if (strategy == lighting::Strategy::uniform) {
      return shaded(lighting::UniformSampling(map), samples, first);
    }
    return shaded(lighting::MapSampling(map, sampler_.view_with_probabilities()), samples, first);
  }

 private:
  template <class Sampling>
  std::vector<Colour> shaded(const Sampling& sampling, std::uint32_t samples, std::uint64_t first) {
    shade<<<static_cast<unsigned>((pixels_ + threads - 1) / threads), threads>>>(
        sampling, wrsgpu::RandomWords(lighting::seed), normals_.get(), pixels_, samples, first,
        irradiances_.get());
    example::check(cudaGetLastError());
    return example::to_host(irradiances_, pixels_);
  }

  std::uint32_t width_;
  std::uint32_t height_;
  wrsgpu::GpuWeightedSampler sampler_;  // first of what needs a GPU: it says if there is none
  std::size_t pixels_;
  example::DeviceArray<Colour> radiances_;
  example::DeviceArray<Vector> normals_;
  example::DeviceArray<Colour> irradiances_;
};

lighting::Render make_device_render(const lighting::Environment& map,
                                    const std::vector<Vector>& normals) {
  const auto scene = std::make_shared<DeviceScene>(map, normals);
  return [scene](lighting::Strategy strategy, std::uint32_t samples, std::uint64_t first) {
    return scene->render(strategy, samples, first);
  };
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return lighting::run(argc, argv, wrsgpu::source_commit, make_device_render);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
