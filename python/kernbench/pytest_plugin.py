"""A fixture of pytest, there without an import once the package is installed.

    def test_sum(kernbench_machine):
        m = kernbench_machine("one_pe")
        ...
"""

import pytest

from .machine import Machine


@pytest.fixture
def kernbench_machine():
    """Makes machines as kernbench.Machine does, and ends them after the test, which fails if one of them has failed."""
    machines = []

    def make(*arguments, **options):
        machines.append(Machine(*arguments, **options))
        return machines[-1]

    yield make
    for machine in machines:
        machine.close()
