"""A pytest fixture, available without an import when the package is installed.

    def test_sum(kernbench_machine):
        m = kernbench_machine("one_pe")
        ...
"""

import contextlib

import pytest

from .machine import Machine


@pytest.fixture
def kernbench_machine():
    """Creates kernbench.Machine objects and ends them after the test, which fails if one of them has failed."""
    with contextlib.ExitStack() as machines:  # ends all machines even if one raises

        def make(*arguments, **options):
            machine = Machine(*arguments, **options)
            machines.callback(machine.close)
            return machine

        yield make
