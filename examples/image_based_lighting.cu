// Image-based lighting on the GPU: one thread per pixel of the sphere, which draws from a view of
// the sampler. image_based_lighting_on_cpu.cpp says what it computes and writes.
#include <cstdio>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "examples/lighting/environment.hpp"
#include "examples/lighting/light_sampling.hpp"
#include "examples/lighting/study.hpp"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/gpu_weighted_sampler.cuh"
#include "wrsgpu_commit.hpp"

namespace {

using lighting::Colour;
using lighting::Vector;

constexpr unsigned threads = 64;

template <class Sampling>
__global__ void shade(Sampling sampling, wrsgpu::random::SplitWords<> words, const Vector* normals,
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
        radiances_(map.radiances.size()),
        normals_(normals.size()),
        irradiances_(normals.size()) {
    wrsgpu::copy_to_device(std::span(map.radiances), radiances_.data());
    wrsgpu::copy_to_device(std::span(normals), normals_.data());
  }

  std::vector<Colour> render(lighting::Strategy strategy, std::uint32_t samples,
                             std::uint64_t first) {
    const lighting::EnvironmentView map(radiances_.data(), width_, height_);
    if (strategy == lighting::Strategy::uniform) {
      return shaded(lighting::UniformSampling(map), samples, first);
    }
    return shaded(lighting::MapSampling(map, sampler_.view_with_probabilities()), samples, first);
  }

 private:
  template <class Sampling>
  std::vector<Colour> shaded(const Sampling& sampling, std::uint32_t samples, std::uint64_t first) {
    shade<<<wrsgpu::blocks_for(normals_.size(), threads), threads>>>(
        sampling, wrsgpu::random::SplitWords<>(lighting::seed), normals_.data(), normals_.size(),
        samples, first, irradiances_.data());
    wrsgpu::check_launch("shade");
    std::vector<Colour> irradiances(irradiances_.size());
    wrsgpu::copy_to_host(std::as_const(irradiances_).data(), std::span(irradiances));
    return irradiances;
  }

  std::uint32_t width_;
  std::uint32_t height_;
  wrsgpu::GpuWeightedSampler sampler_;  // first of what needs a GPU: it says if there is none
  wrsgpu::DeviceBuffer<Colour> radiances_;
  wrsgpu::DeviceBuffer<Vector> normals_;
  wrsgpu::DeviceBuffer<Colour> irradiances_;
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
