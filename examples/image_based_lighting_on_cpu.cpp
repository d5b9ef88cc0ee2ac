// A diffuse sphere lit by an environment map, once by importance sampling and once by uniform
// directions. Without arguments a small comparison; `errors FILE.csv` writes the full one, and
// `pictures FILE.ppm` the pictures.
#include <cstdio>
#include <exception>

#include "examples/lighting/host_render.hpp"
#include "examples/lighting/study.hpp"
#include "wrsgpu_commit.hpp"

int main(int argc, char** argv) {
  try {
    return lighting::run(argc, argv, wrsgpu::source_commit, lighting::make_host_render);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
