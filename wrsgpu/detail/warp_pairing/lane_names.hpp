// Data of a tile on the host: one word per item, and lists of item names.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "wrsgpu/detail/masses/warp_pairing.hpp"

namespace wrsgpu::warp_pairing {

/// Names the items of a tile, followed by the items that it receives.
using Name = std::uint16_t;
inline constexpr Index tile_names = mass_tile_items + max_received;
/// Name of the alias whose row is in another tile, and which fills at least part of one row of this
/// tile.
inline constexpr Name rowless = tile_names;

/// The mass of an item until its row is built; then the row: its own part modulo 2^32 in the lower
/// half, its alias in the upper half.
using Word = std::uint64_t;
[[nodiscard]] constexpr Word row_word(std::uint64_t own, Name alias) {
  return Word{alias} << 32 | static_cast<std::uint32_t>(own);
}
[[nodiscard]] constexpr Index own_of(Word row) { return static_cast<Index>(row); }
[[nodiscard]] constexpr Name alias_of(Word row) { return static_cast<Name>(row >> 32); }

/// The item that an alias denotes, in a tile whose first item is `begin`; `beyond` are the items of
/// names from `mass_tile_items` on.
[[nodiscard]] inline Index item_of(Name alias, Index begin, const Index* beyond) {
  return alias < mass_tile_items ? begin + alias : beyond[alias - mass_tile_items];
}

/// Ordered names, with room at the front for names that are put back.
class List {
 public:
  void clear() { begin_ = end_ = 0; }
  void push(Name name) { names_[end_++] = name; }
  /// The push position, for bulk pushes that then set the new end. They may overwrite up to `spare`
  /// names beyond it.
  static constexpr std::size_t spare = 16;
  [[nodiscard]] Name* end() { return names_.data() + end_; }
  void end_at(const Name* end) { end_ = static_cast<Index>(end - names_.data()); }
  void push_front(Name name) { names_[--begin_] = name; }
  [[nodiscard]] Name operator[](Index i) const { return names_[begin_ + i]; }
  [[nodiscard]] Index size() const { return end_ - begin_; }
  void drop(Index count) { begin_ += count; }
  /// Up to `spare` names beyond the end may be read.
  [[nodiscard]] const Name* data() const { return names_.data() + begin_; }
  void append(const List& rest) {
    std::copy_n(rest.data(), rest.size(), names_.data() + end_);
    end_ += rest.size();
  }

 private:
  std::array<Name, tile_names + spare> names_;
  Index begin_ = 0;
  Index end_ = 0;
};

struct Lists {
  List lights;
  List heavies;
};

/// The current item of each lane, and its excess over a bucket.
struct Lanes {
  std::array<Name, lanes> item;
  std::array<std::int64_t, lanes> excess;
  Index count = lanes;
};

/// One bit for each item of a tile.
class ItemSet {
 public:
  void insert(Index item) { words_[item / 64] |= bit(item); }
  [[nodiscard]] bool contains(Index item) const { return (words_[item / 64] & bit(item)) != 0; }
  /// The bits of 8, 16 or 64 items; `first` is a multiple of that number.
  [[nodiscard]] std::uint8_t eight(Index first) const {
    return static_cast<std::uint8_t>(words_[first / 64] >> (first % 64));
  }
  [[nodiscard]] std::uint64_t sixty_four(Index first) const { return words_[first / 64]; }
  [[nodiscard]] std::uint16_t sixteen(Index first) const {
    return static_cast<std::uint16_t>(words_[first / 64] >> (first % 64));
  }

 private:
  [[nodiscard]] static std::uint64_t bit(Index item) { return std::uint64_t{1} << (item % 64); }
  std::array<std::uint64_t, mass_tile_items / 64> words_{};
};

}  // namespace wrsgpu::warp_pairing
