"""Drives kernbench from Python and reads its result files. See docs/guides/python.md."""

from .machine import Launch, Machine, MachineError, Tensor
from .remote_port import BusError, RemotePort
from .results import Run, points

__all__ = ["BusError", "Launch", "Machine", "MachineError", "RemotePort", "Run", "Tensor", "points"]
