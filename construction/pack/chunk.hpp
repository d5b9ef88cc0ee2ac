// Which elements of a list a worker of the chunked pack holds (thesis 3.2.4 and 4.5.4), and the
// reader of them.
#pragma once

#include "construction/pack/element.hpp"
#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::pack {

/// `count` elements to copy: those of the list from `from` on, to the places of the chunk from
/// `place` on.
struct ChunkRequest {
  Index from = 0;
  Index count = 0;
  Index place = 0;
};

/// The elements of a list that a chunk holds, from its first place on.
struct ChunkWindow {
  Index begin = 0;  ///< position in the list of the first element
  Index size = 0;   ///< number of elements

  /// Whether the chunk holds the element at `position`, which is not before `begin`.
  [[nodiscard]] WRSGPU_HD bool has(Index position) const { return position - begin < size; }

  /// Whether a chunk of `capacity` places should be loaded again when `next` is the next element to
  /// be read: where at most `threshold` elements of a full chunk are unread and the list has more,
  /// up to `limit`.
  [[nodiscard]] WRSGPU_HD bool is_used_up(Index next, Index limit, Index capacity,
                                          Index threshold) const {
    const Index read = next - begin;
    return next < limit && (size == 0 || read + threshold >= capacity);
  }

  /// Lets the chunk begin with `next`. Returns what to copy: all of it or, if it `reuses` the
  /// unread elements, which its owner has to move to the front (`keep_unread`), what follows these.
  [[nodiscard]] WRSGPU_HD ChunkRequest move_to(Index next, Index limit, Index capacity,
                                               bool reuses) {
    const Index left = limit - next;
    const Index kept = reuses && has(next) ? size - (next - begin) : 0;
    begin = next;
    size = left < capacity ? left : capacity;
    return {next + kept, size - kept, kept};
  }
};

/// Moves the elements of a chunk that are unread when `next` is the next one to the front.
template <class Element>
WRSGPU_HD void keep_unread(Element* chunk, const ChunkWindow& window, Index next) {
  const Index read = next - window.begin;
  if (read == 0) return;
  for (Index at = read; at < window.size; ++at) chunk[at - read] = chunk[at];
}

/// Reads from a chunk of each list: places [0, capacity) of `elements` are the light items, the
/// following ones the heavy items. The loop is interrupted where a chunk has no more.
template <Index capacity, class Element, class Masses>
struct ChunkReader {
  const Element* elements;
  Masses masses;
  ChunkWindow window[2];  ///< light, heavy

  [[nodiscard]] WRSGPU_HD bool has(bool is_heavy, Index light, Index heavy) const {
    return is_heavy ? window[1].has(heavy) : window[0].has(light);
  }
  [[nodiscard]] WRSGPU_HD auto take(bool is_heavy, Index light, Index heavy) const {
    const Index at = is_heavy ? capacity + (heavy - window[1].begin) : light - window[0].begin;
    const Element element = elements[at];
    return ItemMass<typename Masses::Mass>{item_of(element), mass_of(element, masses)};
  }
};

}  // namespace wrsgpu::pack
