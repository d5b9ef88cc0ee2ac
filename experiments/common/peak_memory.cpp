#include "experiments/common/peak_memory.hpp"

#ifdef __linux__
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#endif

namespace wrsgpu::experiments {

#ifdef __linux__

namespace {

/// A line of /proc/self/status, in bytes; 0 when there is none.
std::int64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != key + ":") continue;
    std::int64_t kib = 0;
    status >> kib;
    return kib * 1024;
  }
  return 0;
}

/// Sets VmHWM, the peak of VmRSS, to VmRSS.
bool reset_peak() {
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5" << std::flush;
  return clear.good();
}

}  // namespace

std::optional<std::int64_t> peak_extra_bytes(const std::function<std::size_t()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    // Memory that the parent has freed but not given back must not serve the work unseen.
    malloc_trim(0);
    // Nor is the rest of a huge page, which the work has not asked for, to be counted.
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    bool ok = reset_peak();
    const std::int64_t before = status_bytes("VmRSS");
    std::int64_t extra = 0;
    try {
      const auto made = static_cast<std::int64_t>(work());
      extra = status_bytes("VmHWM") - before - made;
    } catch (...) {
      ok = false;
    }
    ok = ok && write(ends[1], &extra, sizeof extra) == sizeof extra;
    _exit(ok ? 0 : 1);
  }
  close(ends[1]);
  std::int64_t extra = 0;
  const bool received = child > 0 && read(ends[0], &extra, sizeof extra) == sizeof extra;
  close(ends[0]);
  int status = 1;
  if (child > 0) waitpid(child, &status, 0);
  if (!received || status != 0) return std::nullopt;
  return extra;
}

#else

std::optional<std::int64_t> peak_extra_bytes(const std::function<std::size_t()>&) {
  return std::nullopt;
}

#endif

}  // namespace wrsgpu::experiments
