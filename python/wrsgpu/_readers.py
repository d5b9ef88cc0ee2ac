"""Draws of several threads, and changes that wait for them."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager


class Readers:
    """Threads read at a time, or one changes what they read. Those that come while a change waits read
    after it, or threads that read all the time would never let it begin.

    There are locks alone, taken by `with` statements: Ctrl-C can end what is written in Python between
    taking a lock and what would release it."""

    def __init__(self) -> None:
        self._turn = threading.Lock()  # of a change, from when it begins to wait
        self._reading = [threading.RLock() for _ in range(8)]  # of some threads each

    def reading(self) -> AbstractContextManager[object]:
        """For one `with`, inside of which there is no other."""
        with self._turn:
            pass
        return self._reading[threading.get_ident() // 4096 % len(self._reading)]

    def change(self, change: Callable[[], None]) -> None:
        """Calls `change` while no thread reads."""
        with self._turn:
            self._change_without(change, 0)

    def _change_without(self, change: Callable[[], None], first: int) -> None:
        if first == len(self._reading):
            change()
            return
        with self._reading[first]:
            self._change_without(change, first + 1)
