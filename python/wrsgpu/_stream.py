"""The stream of random words that a sampler's draws without a seed continue."""

import threading

from wrsgpu._arguments import WORDS, Seed, integer, seed_word


class OwnStream:
    """A seed, and the offset of the next draw, which threads can share."""

    def _begin_stream(self, seed: int) -> None:
        self._lock = threading.Lock()  # of the offset
        self.seed = seed
        self.offset = 0

    def _words(self, count: int, seed: Seed, offset: int) -> tuple[int, int]:
        """Seed and offset of a draw of `count` words; without a seed, advances the stream."""
        if seed is not None:
            return seed_word(seed), integer(offset, "offset")
        if offset != 0:
            raise TypeError("argument 'offset' needs a 'seed'; set the attribute offset to move "
                            "in the sampler's own stream")
        with self._lock:
            begin = self.offset
            self.offset = (begin + count) % WORDS
        return self.seed, begin
