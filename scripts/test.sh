#!/usr/bin/env bash
# Installs what is missing, builds everything and runs every test. The last line counts the tests;
# the exit status is 0 only when at least one passed and none failed.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# doxygen: for the reference of the headers, which must have no warnings
install_missing doxygen python3-dev python3-venv
say "preparing the environment of the Python package"
read -ra python_package <<<"$(python_package)"
configure "${python_package[@]}"
build_targets

say "testing"
results=$build/tests.xml
rm -f "$results"
status=0
ctest --test-dir "$build" --parallel 2 --timeout 600 --no-tests=error --output-on-failure \
  --output-junit "$results" --progress || status=$?
/usr/bin/env python3 "$repository/scripts/summarise_tests.py" "$results" || status=1
exit $status
