// The pack loop (thesis 2.4.4, 3.2.1 and 4.5.1), shared by every pack method. Methods differ in
// where they read from.
//
// A section ends when all its items are written, not when its mass is used up, because
// floating-point masses do not add up exactly:
//  - light items left after the section's heavy items are written go to the open heavy item, and
//    after the last heavy item of all to that one;
//  - heavy items left after the light ones are written keep their mass, at most a bucket, and the
//    next one fills the rest;
//  - the last heavy item of all keeps a full bucket.
// In exact arithmetic this never differs from the sweep. Aliases are heavy items or the item
// itself, so an item of mass zero is never drawn.
//
// A reader provides the elements of the two lists in order:
//   take(is_heavy, light, heavy)  item and mass of light item `light`, or of heavy item `heavy`
//   has(is_heavy, light, heavy)   whether `take` can provide it; a reader that has run out
//                                 interrupts the loop, which continues when it is called again
#pragma once

#include <limits>

#include "construction/pack/element.hpp"
#include "construction/split/state.hpp"
#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/table/store_row.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::pack {

/// The two forms of every pack method in thesis 4.1. They write the same rows.
enum class Form {
  readable,   ///< a branch for each kind of item, with loads inside (Algorithm 4.1)
  optimised,  ///< branches select an address; one load follows (Algorithm 4.2)
};

/// Reads complete lists.
template <class Element, class Masses>
struct ListReader {
  Lists<Element> lists;
  Masses masses;

  [[nodiscard]] WRSGPU_HD static constexpr bool has(bool /*is_heavy*/, Index /*light*/,
                                                    Index /*heavy*/) {
    return true;
  }
  /// The branch only selects a pointer; the load is outside of it (Algorithm 4.2).
  [[nodiscard]] WRSGPU_HD ItemMass<typename Masses::Mass> take(bool is_heavy, Index light,
                                                               Index heavy) const {
    const Element* const pointer = is_heavy ? lists.heavy + heavy : lists.light + light;
    const Element element = *pointer;
    return {item_of(element), mass_of(element, masses)};
  }
};

/// Packs one section, as far as its reader has elements.
template <class Mass>
class Packer {
 public:
  /// Empty section: `pack` does nothing.
  Packer() = default;

  /// For the section between two ordered states. `heavies` is the number of heavy items in all
  /// sections.
  template <class Reader>
  WRSGPU_HD Packer(Reader&& reader, Index heavies, Mass bucket, const split::State<Mass>& begin,
                   const split::State<Mass>& end)
      : light_(begin.light), light_end_(end.light), bucket_(bucket) {
    if (heavies == 0) {  // all masses equal the bucket, up to rounding
      fills_ = true;
      return;
    }
    const Index last = heavies - 1;
    heavy_ = begin.heavy < last ? begin.heavy : last;
    heavy_end_ = end.heavy < last ? end.heavy : last;
    owns_last_ = begin.heavy <= last && last < end.heavy;
    const auto open = reader.take(true, light_, heavy_);
    donor_ = item_of(open);
    left_ = begin.spill < open.mass ? begin.spill : open.mass;
  }

  /// Without an end: packs until the reader runs out. `open` is the first heavy item.
  WRSGPU_HD Packer(const ItemMass<Mass>& open, Index light, Index heavy, Mass bucket)
      : light_(light),
        light_end_(std::numeric_limits<Index>::max()),
        heavy_(heavy),
        heavy_end_(std::numeric_limits<Index>::max()),
        donor_(item_of(open)),
        left_(open.mass),
        bucket_(bucket) {}

  [[nodiscard]] WRSGPU_HD Index light() const { return light_; }  ///< next light item
  [[nodiscard]] WRSGPU_HD Index heavy() const { return heavy_; }  ///< open heavy item
  [[nodiscard]] WRSGPU_HD Index light_end() const { return light_end_; }
  [[nodiscard]] WRSGPU_HD Index heavy_end() const { return heavy_end_; }
  [[nodiscard]] WRSGPU_HD Mass left() const { return left_; }

  /// Writes rows until the section is complete (true) or the reader has run out (false).
  template <Form form = Form::optimised, class Reader, class Rows>
  WRSGPU_HD bool pack(Reader&& reader, const Rows& rows) {
    while (light_ != light_end_ || heavy_ != heavy_end_) {
      // A used-up heavy item keeps its remaining mass, and the next one fills its bucket.
      const bool is_used_up = !(left_ > bucket_);
      const bool take_heavy = light_ == light_end_ || (is_used_up && heavy_ != heavy_end_);
      if (!reader.has(take_heavy, light_, heavy_ + 1)) return false;
      const Mass kept = is_used_up ? left_ : bucket_;
      if constexpr (form == Form::readable) {
        if (take_heavy) {
          close_heavy(reader, rows, kept);
        } else {
          write_light(reader, rows);
        }
      } else {
        const auto taken = reader.take(take_heavy, light_, heavy_ + 1);
        const Index item = item_of(taken);
        const Mass mass = taken.mass;
        light_ += take_heavy ? 0 : 1;
        heavy_ += take_heavy ? 1 : 0;
        const Mass own = take_heavy ? kept : (fills_ ? bucket_ : mass);
        store_row(rows, bucket_, take_heavy ? donor_ : item, own, take_heavy ? item : donor_);
        left_ = (take_heavy ? mass : left_) - (bucket_ - own);
        donor_ = take_heavy ? item : donor_;
      }
    }
    if (owns_last_) {
      rows.store(donor_, bucket_, donor_);
      owns_last_ = false;
    }
    return true;
  }

 private:
  /// The open heavy item keeps `own` of its bucket, which the next one fills.
  template <class Reader, class Rows>
  WRSGPU_HD void close_heavy(Reader& reader, const Rows& rows, Mass own) {
    const auto next = reader.take(true, light_, heavy_ + 1);
    store_row(rows, bucket_, donor_, own, item_of(next));
    left_ = next.mass - (bucket_ - own);
    donor_ = item_of(next);
    ++heavy_;
  }

  /// The open heavy item fills the bucket of the next light one.
  template <class Reader, class Rows>
  WRSGPU_HD void write_light(Reader& reader, const Rows& rows) {
    const auto light = reader.take(false, light_, heavy_ + 1);
    const Mass own = fills_ ? bucket_ : light.mass;
    store_row(rows, bucket_, item_of(light), own, donor_);
    left_ -= bucket_ - own;
    ++light_;
  }

  Index light_ = 0;
  Index light_end_ = 0;
  Index heavy_ = 0;
  Index heavy_end_ = 0;
  Index donor_ = 0;
  bool fills_ = false;
  bool owns_last_ = false;
  Mass left_{};
  Mass bucket_{};
};

}  // namespace wrsgpu::pack
