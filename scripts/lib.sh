# Shared by the other scripts: installs what is missing, configures, builds.
# Made for Debian 12 and Ubuntu 24.04; elsewhere install the packages below by hand and set
# WRSGPU_INSTALL=no.

set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$repository/build

say() { printf '== %s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

packages=(g++ cmake ninja-build libfmt-dev libcli11-dev libeigen3-dev libgtest-dev
  libbenchmark-dev libtbb-dev nlohmann-json3-dev python3 python3-numpy
  python3-matplotlib)

installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# The version of Boost that a package brings, for example 1.83.0.
package_version() {
  apt-cache show --no-all-versions "$1" 2>/dev/null | sed -n 's/^Version: \([0-9.]*[0-9]\).*/\1/p' |
    head -n 1
}

# Prints the package with the headers of Boost 1.75 or newer: the distribution's default where
# that is new enough (Ubuntu 24.04 has 1.83), else libboost1.81-dev (Debian 12 has both).
boost_package() {
  local version
  version=$(package_version libboost-dev)
  if [ -n "$version" ] && [ "$(printf '%s\n' 1.75 "$version" | sort -V | head -n 1)" = 1.75 ]; then
    echo libboost-dev
  else
    echo libboost1.81-dev
  fi
}

boost_is_there() {
  local header=/usr/include/boost/version.hpp
  [ -r $header ] && [ "$(sed -n 's/^#define BOOST_VERSION \([0-9]*\).*/\1/p' $header)" -ge 107500 ]
}

# install_missing [package...]: what the build needs and the packages named, by apt.
install_missing() {
  if [ "${WRSGPU_INSTALL:-yes}" = no ]; then
    say "installing nothing (WRSGPU_INSTALL=no): using what is here"
    return
  fi
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    fail "there is no apt here to install packages with; install what these Debian packages hold: \
${packages[*]} $* and Boost 1.75 or newer (headers); then run this again with WRSGPU_INSTALL=no"
  fi
  local missing=() package
  for package in "${packages[@]}" "$@"; do
    installed "$package" || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ] && boost_is_there; then
    say "every package needed is installed"
    return
  fi

  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "missing packages: ${missing[*]} and perhaps Boost 1.75 or newer; \
to install them run this as root, or install sudo"
    as_root=(sudo)
  fi
  say "updating apt's lists"
  "${as_root[@]}" apt-get update -qq -o APT::Update::Error-Mode=any ||
    fail "apt-get update failed; is the network there?"
  boost_is_there || missing+=("$(boost_package)")
  say "installing ${missing[*]}"
  # --no-remove: never take away what the user has, such as an older Boost that conflicts.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-remove \
    --no-install-recommends "${missing[@]}" ||
    fail "apt-get could not install: ${missing[*]} (on Debian 12 libboost1.81-dev and \
libboost1.74-dev exclude each other: if the latter is installed, remove it first)"
}

# Prints the path of nvcc; fails where there is none.
find_nvcc() {
  command -v nvcc && return
  [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc
}

# Makes the environment in the build folder in which the Python package is built and tested, and
# prints CMake's arguments for it; where that fails, the tests say that they are left out.
python_package() {
  local environment=$build/python-environment
  if python3 -m venv "$environment" >&2 &&
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
      -r "$repository/python/tests/requirements.txt" >&2; then
    echo "-DWRSGPU_BUILD_PYTHON=ON -DPython_EXECUTABLE=$environment/bin/python"
  else
    echo "-DWRSGPU_BUILD_PYTHON=OFF"
  fi
}

# Prints a python3 that has numpy and matplotlib (another one may come before it on the PATH).
find_python() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy, matplotlib' 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  fail "no python3 here can import numpy and matplotlib"
}

# Configures the build folder, with CUDA when there is a compiler for it.
configure() {
  local fresh=() nvcc
  if nvcc=$(find_nvcc); then
    say "configuring, with CUDA ($nvcc)"
    # CMake remembers that it found no nvcc; forget that when one has been installed since.
    if grep -qs '^CMAKE_CUDA_COMPILER:.*NOTFOUND' "$build/CMakeCache.txt"; then fresh=(--fresh); fi
  else
    say "configuring, CPU only: no nvcc on the PATH or in /usr/local/cuda/bin"
  fi
  (cd "$repository" && cmake --preset default "${fresh[@]}" "$@") >"$repository/build.log" 2>&1 || {
    cat "$repository/build.log" >&2
    fail "configuring failed"
  }
  grep '^-- wrsgpu' "$repository/build.log" | sed 's/^-- /   /'
  rm -f "$repository/build.log"
}

# build_targets [target...]: builds everything, or the targets named.
build_targets() {
  say "building"
  cmake --build "$build" ${1:+--target "$@"}
}
