"""The stream of random words that a sampler's draws without a seed continue."""

import threading
from collections.abc import Callable
from typing import Any

from wrsgpu._arguments import WORDS, Seed, integer, is_zero, seed_word


class OwnStream:
    """A seed, and the offset of the next draw, which threads can share."""

    def _begin_stream(self, seed: int) -> None:
        self._lock = threading.Lock()  # of the offset
        self.seed = seed
        self.offset = 0

    @property
    def seed(self) -> int:
        """Seed of the stream that draws without a seed continue."""
        return self._seed

    @seed.setter
    def seed(self, seed: int) -> None:
        self._seed = integer(seed, "seed")

    @property
    def offset(self) -> int:
        """Number of words of that stream that have been used. Set it to skip or repeat samples."""
        return self._offset

    @offset.setter
    def offset(self, offset: int) -> None:
        self._offset = integer(offset, "offset")

    def _words(self, count: int, seed: Seed, offset: int) -> tuple[int, int]:
        """Seed and offset of a draw of `count` words; without a seed, advances the stream."""
        if seed is not None:
            return seed_word(seed), integer(offset, "offset")
        if not is_zero(offset):
            raise TypeError("argument 'offset' needs a 'seed'; set the attribute offset to move "
                            "in the sampler's own stream")
        with self._lock:  # which Ctrl-C does not leave locked, as it can between acquire and try
            begin = self._offset
            self._offset = (begin + count) % WORDS
        return self._seed, begin

    def _drawn(self, count: int, seed: Seed, offset: int, draw: Callable[..., Any]) -> Any:
        """What `draw(seed, offset)`, a draw of `count` words, returns; without a seed, advances the
        stream, but for a draw that fails."""
        words = self._words(count, seed, offset)
        try:
            return draw(*words)
        except BaseException:
            if seed is None:
                with self._lock:  # words before those that another thread has taken are lost
                    if self._offset == (words[1] + count) % WORDS:
                        self._offset = words[1]
            raise

    def _use_words(self, use: Callable[[int, int], int], seed: Seed, offset: int) -> None:
        """Calls `use(seed, offset)`, a draw that says afterwards how many words it has used;
        without a seed, advances the stream."""
        words = self._words(0, seed, offset)
        if seed is not None:
            use(*words)
            return
        with self._lock:
            self._offset = (self._offset + use(self._seed, self._offset)) % WORDS
