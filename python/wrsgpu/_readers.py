"""Draws of several threads, and changes that wait for them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Readers:
    """Any number of threads read at a time, or one changes what they read. Those that come while a
    change waits read after it, or threads that read all the time would never let it begin."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._reading = 0
        self._changing = 0  # those that wait, and the one that does not

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._changed:
            while self._changing > 0:
                self._changed.wait()
            self._reading += 1
        try:
            yield
        finally:
            with self._changed:
                self._reading -= 1
                if self._reading == 0:
                    self._changed.notify_all()

    @contextmanager
    def changing(self) -> Iterator[None]:
        with self._changed:
            self._changing += 1
            try:
                while self._reading > 0:
                    self._changed.wait()
                yield  # others wait for the condition's lock
            finally:
                self._changing -= 1
                self._changed.notify_all()
