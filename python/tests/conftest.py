import pytest


@pytest.fixture
def weights():
    """Some zeros, one heavy, one very light."""
    return [1.0, 0.0, 2.5, 1e-30, 40.0, 0.0, 3.0]


def pytest_terminal_summary(terminalreporter):
    """Says why a run in which every test was skipped was, in the form that ctest looks for."""
    skipped = terminalreporter.stats.get("skipped", [])
    if skipped and not terminalreporter.stats.keys() & {"passed", "failed", "error"}:
        terminalreporter.write_line(f"skipped: {skipped[0].longrepr[2].removeprefix('Skipped: ')}")
