import pytest
from library_cases import CASES, cases_of


def pytest_addoption(parser):
    parser.addoption("--library", choices=sorted(CASES), help="the only array library to test")


def pytest_generate_tests(metafunc):
    """A fixture `case` is each of the cases of the libraries."""
    if "case" not in metafunc.fixturenames:
        return
    only = metafunc.config.getoption("library")
    metafunc.parametrize("case", [
        pytest.param(case, id=repr(case), marks=[pytest.mark.skip(reason=reason)] if reason else [])
        for library in ([only] if only else CASES) for case, reason in cases_of(library)])


@pytest.fixture
def weights():
    """Some zeros, one heavy, one very light."""
    return [1.0, 0.0, 2.5, 1e-30, 40.0, 0.0, 3.0]


def pytest_terminal_summary(terminalreporter):
    """Says why tests were skipped where all were, in the form that ctest looks for."""
    skipped = terminalreporter.stats.get("skipped", [])
    if skipped and not terminalreporter.stats.keys() & {"passed", "failed", "error"}:
        terminalreporter.write_line(f"skipped: {skipped[0].longrepr[2].removeprefix('Skipped: ')}")
