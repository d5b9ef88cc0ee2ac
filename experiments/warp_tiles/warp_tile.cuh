// The rows of a tile, by one warp: its lanes sweep their strips, each pairs what its two strips
// leave, and what is left then, a tenth of the items, is merged as in
// docs/merge_construction.md. Masses and balance are those of the library.
#pragma once

#include "experiments/warp_tiles/strip.cuh"
#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/merge/exports.cuh"

namespace wrsgpu::experiments::warp_tiles {

/// Keys of what is left and of donors: sums of deficits or excesses, whether the item is heavy, its
/// name.
using Key = std::uint64_t;
inline constexpr int key_shift = 17;
inline constexpr Key heavy_bit = Key{1} << 16;
inline constexpr Key name_mask = heavy_bit - 1;
/// What a tile has of mass, at most: sums of it fit in keys.
inline constexpr std::uint64_t max_mass = std::uint64_t{1} << (64 - key_shift);
/// As many as uniform weights need.
inline constexpr Index key_capacity = 680;
/// The last name that an item can have; ends the light items.
inline constexpr Index last_name = mass_tile_items + max_donors - 1;
/// Tiles that one takes from, at most: a lane has one of them.
inline constexpr Index max_donor_tiles = 32;
/// Room for keys of what a tile's strips leave and of donors, with an end after each sequence.
struct WarpMemory {
  Items items;
  Key keys[key_capacity];
  Index donor_item[max_donors];
  Index donor_number[max_donors];  // in MergeExports::own
};
/// A multiprocessor has room for so many warps.
inline constexpr int resident_warps = 10;
inline constexpr Index all_lanes = ~Index{0};

/// One of the tiles that a lacking one may take from, for each lane.
struct DonorTile {
  Index begin = 0;  ///< its first item
  std::uint64_t excess_before = 0;
};

/// What a warp knows of a tile before its weights are there, as it is in memory: what is made of it
/// would wait for it.
struct Task {
  Index number;
  MassTile tile;
  Index first_donor;  ///< among the tiles with an excess
  Index behind_donors;
  std::uint64_t lack_before;

  /// The number of the `place`-th tile with an excess, or that lacks mass.
  template <bool lacks>
  [[nodiscard]] static __device__ Index number_at(const merge::Balance& balance, Index excess_tiles,
                                                  Index place) {
    return lacks ? balance.lacking_tile(place, excess_tiles) : balance.excess_tile(place);
  }
  template <bool lacks>
  [[nodiscard]] static __device__ Task of(const merge::Balance& balance, const MassTile* tiles,
                                          Index excess_tiles, Index place, Index number) {
    Task task{};
    task.number = number;
    task.tile = tiles[number];
    if constexpr (lacks) {
      const bool is_last = excess_tiles + place + 1 == balance.tiles;
      task.first_donor = balance.donor_tile[place];
      task.behind_donors = is_last ? excess_tiles - 1 : balance.donor_tile[place + 1];
      task.lack_before = balance.lack_before[place];
    }
    return task;
  }
};

/// All lanes call each function. `lacks`: whether its tiles lack mass and take it from others, or
/// hand mass on.
template <bool lacks>
class WarpTile {
 public:
  static constexpr int lane_items = 2 * strip_items;
  using Weights = float[lane_items];

  __device__ WarpTile(WarpMemory& memory, const Task& task, Index excess_tiles)
      : memory_(memory),
        at_(memory.items),
        keys_(warp_pairing::address_of(memory.keys)),
        task_(task),
        donors_(lacks && excess_tiles > 0
                    ? min(task.behind_donors, excess_tiles - 1) - task.first_donor + 1
                    : 0),
        slope_(IntegerWeight<float, std::uint64_t>(task.tile.shift, task.tile.slope).second()),
        last_{at_.name(lane() + strips * (strip_items - 1)),
              at_.name(lane() + 32 + strips * (strip_items - 1))} {}

  /// Whether all that the tile's strips leave, and all that it takes, was merged.
  [[nodiscard]] __device__ bool has_room() const { return fits_; }

  /// Weights of rows [begin, end) of 32 items.
  template <int begin, int end>
  static __device__ void load(const float* weights, Index number, Weights& weight) {
    const float* const from = weights + std::size_t{number} * mass_tile_items + lane();
#pragma unroll
    for (int row = begin; row < end; ++row) weight[row] = __ldg(from + row * 32);
    keep_order();
  }

  /// Step 4 of construction/mass_tiles.hpp, where all items have mass and no tile much more than
  /// others.
  __device__ void make_masses(const Weights& weight) {
    // Added to a number below it, 2^52 leaves its nearest integer in the lower 52 bits.
    constexpr std::uint64_t exponent = 0x433;
    constexpr double magic = 0x1p52;
    std::uint64_t sum[2] = {0, 0};
#pragma unroll
    for (int row = 0; row < lane_items; ++row) {
      const double mass = __dadd_rn(__dmul_rn(static_cast<double>(weight[row]), slope_), magic);
      const auto bits = static_cast<std::uint64_t>(__double_as_longlong(mass));
      const Index high = static_cast<Index>(bits >> 32) - static_cast<Index>(exponent << 20);
      memory_.items.low[row * 32 + lane()] = static_cast<std::uint32_t>(bits);
      memory_.items.high[row * 32 + lane()] = static_cast<std::uint16_t>(high);
      sum[row % 2] += bits;
      if (high > 0) heavies_[row % 2] |= Mask{1} << (31 - row / 2);
      if (row % 8 == 7) keep_order();
    }
    // Of each mass a bucket, and of all what the exponents add.
    constexpr std::uint64_t more = strip_items * ((exponent << 52) + fixed_bucket);
    excess_[0] = sum[0] - more;
    excess_[1] = sum[1] - more;
    give_units();
  }

  __device__ void sweep_strips() {
    Sweep first(at_, ~heavies_[0], heavies_[0], last_[0], last_[0]);
    Sweep second(at_, ~heavies_[1], heavies_[1], last_[1], last_[1]);
    // Every step ends an item, and one is left. Both at a time, as each waits for itself.
#pragma unroll 1
    for (Index i = 1; i < strip_items; ++i) {
      first.step();
      second.step();
    }
    left_[0] = left_of(first, heavies_[0]);
    left_[1] = left_of(second, heavies_[1]);
  }

  /// Pairs the light items that one of the lane's strips has left with the heavy ones of the other.
  __device__ void sweep_both() {
    const bool first_is_heavy = is_excess(excess_[0]);
    const bool differ = first_is_heavy != is_excess(excess_[1]);
    Sweep sweep(at_, differ ? (first_is_heavy ? left_[1] : left_[0]) : 0,
                differ ? (first_is_heavy ? left_[0] : left_[1]) : 0,
                first_is_heavy ? last_[1] : last_[0], first_is_heavy ? last_[0] : last_[1]);
    while (__any_sync(all_lanes, sweep.goes_on() ? 1 : 0) != 0) {
      sweep.step();
      sweep.step();
    }
    if (!differ) return;
    const Sweep::Left left = sweep.finish();
    left_[0] = first_is_heavy ? left.heavies : left.lights;
    left_[1] = first_is_heavy ? left.lights : left.heavies;
  }

  /// Keys of what is left. The light items of a lane are in the order of D from its last one on.
  __device__ void make_keys() {
    const std::uint64_t excess = excess_[0] + excess_[1];
    const bool is_heavy = is_excess(excess);
    const Index mine = static_cast<Index>(__popc(left_[0]) + __popc(left_[1]));
    // A sum, and how many items it is of, up to and including the lane's.
    constexpr int count_digits = 12;
    constexpr Index count_mask = (Index{1} << count_digits) - 1;
    std::uint64_t light = is_heavy ? 0 : (0 - excess) << count_digits | mine;
    std::uint64_t heavy = is_heavy ? excess << count_digits | mine : 0;
    const std::uint64_t my_heavy = heavy;
#pragma unroll
    for (Index distance = 1; distance < 32; distance *= 2) {
      const std::uint64_t light_below = __shfl_up_sync(all_lanes, light, distance);
      const std::uint64_t heavy_below = __shfl_up_sync(all_lanes, heavy, distance);
      if (lane() < distance) continue;
      light += light_below;
      heavy += heavy_below;
    }
    const std::uint64_t all_light = __shfl_sync(all_lanes, light, 31);
    const std::uint64_t all_heavy = __shfl_sync(all_lanes, heavy, 31);
    heavy -= my_heavy;
    lights_ = static_cast<Index>(all_light) & count_mask;
    own_heavies_ = heavies_and_donors_ = static_cast<Index>(all_heavy) & count_mask;
    deficits_ = all_light >> count_digits;
    excesses_ = all_heavy >> count_digits;
    fits_ = donors_ <= max_donor_tiles && task_.tile.mass < max_mass &&
            lights_ + own_heavies_ + 2 <= key_capacity;
    if (!fits_) return;

    Index place = is_heavy ? heavy_key(static_cast<Index>(heavy) & count_mask)
                           : light_key((static_cast<Index>(light) & count_mask) - 1);
    const Index step = is_heavy ? sizeof(Key) : 0 - static_cast<Index>(sizeof(Key));
    const Index flag = is_heavy ? static_cast<Index>(heavy_bit) : 0;
    std::uint64_t sum = (is_heavy ? heavy : light) >> count_digits;
    Mask mask = left_[0];
    Mask later = left_[1];
    Index last = last_[0];
    // The next item's mass is asked for before this one's is used.
    struct {
      bool is_any;
      Index name;
      std::uint32_t low;
      std::uint32_t high;
    } next;
    const auto take = [&] {
      if (mask == 0) {
        mask = later;
        later = 0;
        last = last_[1];
      }
      next.is_any = mask != 0;
      const Index bit = highest(mask);
      mask &= ~(Mask{1} << bit % 32);
      next.name = last - bit * strip_step;
      next.low = load32(at_.low(next.name));
      next.high = load16(next.name);
    };
    take();
#pragma unroll 1
    while (next.is_any) {
      const auto current = next;
      take();
      sum += (std::uint64_t{current.high} << 32 | current.low) - fixed_bucket;
      store64(place, sum << key_shift | flag | current.name);
      place += step;
    }
    if (lane() == 0)
      store64(light_key(lights_), deficits_ << key_shift | heavy_bit | at_.name(last_name));
    __syncwarp();
    // In a tile with an excess those end whose sums are at most what it lacks.
    ended_ =
        lacks ? own_heavies_ : count_less(heavy_key(0), own_heavies_, (deficits_ + 1) << key_shift);
  }

  /// Of a tile that lacks mass: who may have it. Asked for early, as is all that follows.
  __device__ void ask_for_counts(const merge::Balance& balance) {
    if (lane() >= donors_) return;
    count_ = __ldcg(balance.exported_count + task_.first_donor + lane());
  }
  __device__ void ask_for_tiles(const merge::Balance& balance) {
    if (lane() >= donors_) return;
    const Index place = task_.first_donor + lane();
    donor_.begin = balance.excess_tile(place) * mass_tile_items;
    donor_.excess_before = balance.excess_before[place];
  }
  __device__ void ask_for_items(const merge::MergeExports& exported) {
    count_ = warp_inclusive_sum(count_);
    candidates_ = donors_ <= max_donor_tiles ? __shfl_sync(all_lanes, count_, 31) : 0;
#pragma unroll
    for (int c = 0; c < asked; ++c) {
      if (c * 32U >= candidates_) continue;
      candidate_[c] = find(c * 32 + lane());
      item_[c] = candidate_[c].is_any ? __ldcg(exported.item + candidate_[c].number) : 0;
    }
  }
  __device__ void ask_for_sums(const CompactRows& rows) {
#pragma unroll
    for (int c = 0; c < asked; ++c) {
      if (c * 32U >= candidates_ || !candidate_[c].is_any) continue;
      sum_[c] = __ldcg(&merge::slot(rows, candidate_[c].tile_begin() + item_[c]));
    }
  }
  /// Puts those that the tile needs behind its own heavy items.
  __device__ void take_from_others(const merge::MergeExports& exported, const CompactRows& rows) {
    if (!fits_) return;
    if (excesses_ < deficits_) {
#pragma unroll
      for (int c = 0; c < asked; ++c) {
        if (c * 32U < candidates_) put(candidate_[c], item_[c], sum_[c]);
      }
#pragma unroll 1
      for (Index c = asked * 32; c < candidates_; c += 32) {
        const Candidate candidate = find(c + lane());
        Index item = 0;
        std::uint64_t sum = 0;
        if (candidate.is_any) {
          item = __ldcg(exported.item + candidate.number);
          sum = __ldcg(&merge::slot(rows, candidate.tile_begin() + item));
        }
        put(candidate, item, sum);
      }
      __syncwarp();
      const Index donors = heavies_and_donors_ - own_heavies_;
      fits_ = donors <= max_donors && lights_ + heavies_and_donors_ + 3 <= key_capacity;
      if (!fits_) return;
      // All but the last one end here, and that perhaps.
      const bool last_ends =
          donors == 0 || load64(heavy_key(heavies_and_donors_ - 1)) >> key_shift <= deficits_;
      ended_ = heavies_and_donors_ - (last_ends ? 0 : 1);
    }
  }

  /// The rows of what is left, each lane those of an equal part of the merged sequence.
  __device__ void merge_left() {
    if (!fits_) return;
    if (lane() == 0) store64(heavy_key(heavies_and_donors_), ~Key{0});
    __syncwarp();
    const Index total = lights_ + ended_;
    const Index share = (total + 31) / 32;
    const Index start = min(lane() * share, total);
    const Index stop = min(start + share, total);
    Index low = start > ended_ ? start - ended_ : 0;
    Index high = min(start, lights_);
#pragma unroll 1
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (load64(light_key(middle)) < load64(heavy_key(start - 1 - middle))) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    Index light = light_key(low);
    Index heavy = heavy_key(start - low);
    Key light_next = load64(light);
    Key heavy_next = load64(heavy);
#pragma unroll 2
    for (Index i = start; i < stop; ++i) {
      std::uint32_t low_half;
      std::uint32_t high_half;
      std::uint32_t is_heavy;
      // The compiler would compare twice.
      asm volatile(
          "{ .reg .pred is_light;\n"
          "  .reg .b32 low_light, high_light, low_heavy, high_heavy;\n"
          "  setp.lt.u64 is_light, %3, %4;\n"
          "  mov.b64 {low_light, high_light}, %3;\n"
          "  mov.b64 {low_heavy, high_heavy}, %4;\n"
          "  selp.b32 %0, low_light, low_heavy, is_light;\n"
          "  selp.b32 %1, high_light, high_heavy, is_light;\n"
          "  selp.b32 %2, 0, 1, is_light;\n"
          "  @is_light add.u32 %5, %5, %7;\n"
          "  @!is_light add.u32 %6, %6, %7;\n"
          "  @is_light ld.shared.u64 %3, [%5];\n"
          "  @!is_light ld.shared.u64 %4, [%6]; }"
          : "=&r"(low_half), "=&r"(high_half), "=&r"(is_heavy), "+l"(light_next), "+l"(heavy_next),
            "+r"(light), "+r"(heavy)
          : "n"(sizeof(Key))
          : "memory");
      const Index name = low_half & static_cast<Index>(name_mask);
      store16(name, static_cast<std::uint32_t>(heavy_next));
      if (is_heavy != 0) {
        store32(at_.low(name), __funnelshift_r(low_half, high_half, key_shift) -
                                   static_cast<std::uint32_t>(light_next >> key_shift));
      }
    }
    __syncwarp();
    if (lane() == 0) fill_last_heavies();
    __syncwarp();
  }

  /// Writes all rows, with something in place of aliases that are other tiles' items.
  __device__ void write(const CompactRows& rows) {
    const Index begin = task_.number * mass_tile_items;
    const Index base = begin - at_.name(0) / ItemAddresses::step;
    auto* const out = reinterpret_cast<uint4*>(rows.data() + begin) + lane();
    const auto* const lows = reinterpret_cast<const uint2*>(memory_.items.low) + lane();
    const auto* const highs = reinterpret_cast<const std::uint32_t*>(memory_.items.high) + lane();
#pragma unroll 4
    for (int i = 0; i < strip_items; ++i) {
      const uint2 low = lows[i * 32];
      const std::uint32_t high = highs[i * 32];
      out[i * 32] = make_uint4(low.x, base + (high & 0xffff) / ItemAddresses::step, low.y,
                               base + (high >> 16) / ItemAddresses::step);
    }
    __syncwarp();
  }
  /// And these aliases, those of the light items after the last own heavy one, and of that; and
  /// what the items exported keep that end here.
  __device__ void write_taken(const CompactRows& rows, const merge::MergeExports& exported) {
    if (!fits_ || heavies_and_donors_ == own_heavies_) return;
    const Index first = own_heavies_ > 0
                            ? count_less(light_key(0), lights_, load64(heavy_key(own_heavies_ - 1)))
                            : 0;
    const Index begin = task_.number * mass_tile_items;
    const Index count = lights_ - first + (own_heavies_ > 0 ? 1 : 0);
    for (Index i = lane(); i < count; i += 32) {
      const Key key =
          load64(first + i < lights_ ? light_key(first + i) : heavy_key(own_heavies_ - 1));
      const Index name = static_cast<Index>(key & name_mask);
      const Index alias = at_.item(load16(name));
      if (alias < mass_tile_items) continue;
      reinterpret_cast<uint2*>(rows.data() + begin)[at_.item(name)].y =
          memory_.donor_item[min(alias - mass_tile_items, max_donors - 1)];
    }
    for (Index i = lane(); i < ended_ - own_heavies_; i += 32) {
      exported.own[memory_.donor_number[i]] = memory_.items.low[mass_tile_items + i];
    }
  }
  /// Of a tile with an excess: what it exports.
  __device__ void export_items(const CompactRows& rows, const merge::MergeExports& exported,
                               const merge::Balance& balance, Index place) {
    const Index begin = task_.number * mass_tile_items;
    const Index count = fits_ ? own_heavies_ - ended_ : 0;
    for (Index i = lane(); i < count; i += 32) {
      const Key key = load64(heavy_key(ended_ + i));
      const Index item = at_.item(static_cast<Index>(key & name_mask));
      exported.item[begin + i] = static_cast<std::uint16_t>(item);
      merge::slot(rows, begin + item) = (key >> key_shift) - deficits_;
    }
    if (lane() == 0) balance.exported_count[place] = count;
    __syncwarp();
  }

 private:
  [[nodiscard]] static __device__ Index lane() { return threadIdx.x; }
  /// The compiler would have all items in registers at a time.
  static __device__ void keep_order() { asm volatile("" ::: "memory"); }
  [[nodiscard]] static __device__ bool is_excess(std::uint64_t difference) {
    return static_cast<std::int64_t>(difference) >= 0;
  }
  [[nodiscard]] static __device__ Mask left_of(const Sweep& sweep, Mask heavies) {
    if (heavies == 0) return ~Mask{0};
    const Sweep::Left left = sweep.finish();
    return left.lights | left.heavies;
  }
  [[nodiscard]] __device__ Index light_key(Index i) const { return keys_ + i * sizeof(Key); }
  [[nodiscard]] __device__ Index heavy_key(Index i) const { return light_key(lights_ + 1 + i); }

  /// The first light items give or take a unit each, so that masses add up to the tile's.
  __device__ void give_units() {
    const std::uint64_t sum = warp_sum(excess_[0] + excess_[1]);
    const std::uint64_t left = task_.tile.mass - mass_tile_items * fixed_bucket - sum;
    const bool is_too_much = !is_excess(left);
    const std::uint64_t unit = is_too_much ? ~std::uint64_t{0} : 1;
    const std::uint64_t wanted = is_too_much ? 0 - left : left;
    const Index below = (1U << lane()) - 1;
    Index given = 0;
#pragma unroll 1
    for (Index i = lane(); i < mass_tile_items && given < wanted; i += 32) {
      const std::uint64_t mass = std::uint64_t{memory_.items.high[i]} << 32 | memory_.items.low[i];
      const Index part = __ballot_sync(all_lanes, takes_unit_first(mass) ? 1 : 0);
      if (takes_unit_first(mass) && given + __popc(part & below) < wanted) {
        memory_.items.low[i] = static_cast<std::uint32_t>(mass + unit);
        (i % strips < 32 ? excess_[0] : excess_[1]) += unit;
      }
      given += __popc(part);
    }
  }

  /// How many of `count` keys from `first` on, which ascend, are less than `key`.
  [[nodiscard]] static __device__ Index count_less(Index first, Index count, Key key) {
    Index low = 0;
    Index high = count;
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (load64(first + middle * sizeof(Key)) < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Own heavy items whose sum is all that the tile lacks have their buckets for themselves.
  __device__ void fill_last_heavies() {
    for (Index i = min(ended_, own_heavies_); i > 0; --i) {
      const Key key = load64(heavy_key(i - 1));
      if (key >> key_shift != deficits_) return;
      const Index name = static_cast<Index>(key & name_mask);
      store16(name, name);
      store32(at_.low(name), 0);
    }
  }

  /// An item that was exported by one of those that the tile may take from.
  struct Candidate {
    bool is_any;
    Index number;                 ///< in MergeExports
    std::uint64_t excess_before;  ///< of its tile

    [[nodiscard]] __device__ Index tile_begin() const {
      return number / mass_tile_items * mass_tile_items;
    }
  };
  [[nodiscard]] __device__ Candidate find(Index number) const {
    Index of_tile = 0;
    Index before = 0;
    for (Index i = 0; i + 1 < donors_; ++i) {
      const Index end = __shfl_sync(all_lanes, count_, static_cast<int>(i));
      if (number < end) continue;
      of_tile = i + 1;
      before = end;
    }
    const Index begin = __shfl_sync(all_lanes, donor_.begin, static_cast<int>(of_tile));
    return {number < candidates_, begin + number - before,
            __shfl_sync(all_lanes, donor_.excess_before, static_cast<int>(of_tile))};
  }
  /// Puts those of a warp's candidates behind the heavy keys that no tile before this one uses up,
  /// up to the first one that does not end here.
  __device__ void put(const Candidate& candidate, Index item, std::uint64_t sum) {
    const std::uint64_t up_to = candidate.is_any ? candidate.excess_before + sum : 0;
    std::uint64_t before = __shfl_up_sync(all_lanes, up_to, 1);
    if (lane() == 0) before = last_candidate_;
    last_candidate_ = __shfl_sync(all_lanes, up_to, 31);
    const auto here = [&](std::uint64_t excesses) {
      return excesses_ + (excesses - task_.lack_before);
    };
    const bool is_behind = before > task_.lack_before && here(before) > deficits_;
    const bool is_needed = candidate.is_any && up_to > task_.lack_before && !is_behind;
    const Mask needed = __ballot_sync(all_lanes, is_needed ? 1 : 0);
    if (is_needed) {
      const Index place =
          heavies_and_donors_ + static_cast<Index>(__popc(needed & ((Mask{1} << lane()) - 1)));
      const Index donor = place - own_heavies_;
      if (donor < max_donors && lights_ + place + 3 <= key_capacity) {
        store64(heavy_key(place),
                here(up_to) << key_shift | heavy_bit | at_.name(mass_tile_items + donor));
        memory_.donor_item[donor] = candidate.tile_begin() + item;
        memory_.donor_number[donor] = candidate.number;
      }
    }
    heavies_and_donors_ += static_cast<Index>(__popc(needed));
  }

  WarpMemory& memory_;
  ItemAddresses at_;
  Index keys_;
  Task task_;
  Index donors_;   // tiles that it may take from
  double slope_;   // of masses
  Index last_[2];  // names of the last items of both strips
  Mask heavies_[2] = {0, 0};
  std::uint64_t excess_[2];  // of the strips, and less than 0 where they lack mass
  Mask left_[2];
  Index lights_ = 0;  // that are left
  Index own_heavies_ = 0;
  Index heavies_and_donors_ = 0;
  Index ended_ = 0;  // of these, in this tile
  std::uint64_t deficits_ = 0;
  std::uint64_t excesses_ = 0;
  bool fits_ = true;
  // What others export: of so many times 32 all is asked for before it is needed.
  static constexpr int asked = 4;
  DonorTile donor_;
  Index count_ = 0;  // of items of donor tiles up to the lane's
  Index candidates_ = 0;
  Candidate candidate_[asked];
  Index item_[asked];
  std::uint64_t sum_[asked];
  std::uint64_t last_candidate_ = 0;
};

/// Rows of all tiles with an excess, or of all that lack mass; warps take one after the other, and
/// count those that have no room for what is left. Launched for the ones, then by
/// `launch_programmatic` for the others.
template <bool lacks>
__global__ void __launch_bounds__(32, resident_warps)
    make_rows(const float* weights, const MassTile* tiles, merge::Balance balance,
              merge::MergeExports exported, CompactRows rows, Index* without_room) {
  __shared__ WarpMemory memory;
  constexpr int half = WarpTile<lacks>::lane_items / 2;
  bool has_waited = !lacks;
  // Warps of tiles that lack mass begin where others are done, and wait for all of these before
  // they take.
  if constexpr (!lacks) {
    grid_dependency_sync();
    trigger_launch_completion();
  }
  const Index excess_tiles = *balance.excess_count;
  const Index count = lacks ? balance.tiles - excess_tiles : excess_tiles;
  Index place = blockIdx.x;
  if (place >= count) return;
  Task task = Task::of<lacks>(balance, tiles, excess_tiles, place,
                              Task::number_at<lacks>(balance, excess_tiles, place));
  float weight[2 * half];
  WarpTile<lacks>::template load<0, 2 * half>(weights, task.number, weight);
#pragma unroll 1
  while (true) {
    const Index next = place + gridDim.x;
    const Index later = min(next, count - 1);
    const Index later_number = Task::number_at<lacks>(balance, excess_tiles, later);
    WarpTile<lacks> tile(memory, task, excess_tiles);
    if constexpr (lacks) tile.ask_for_tiles(balance);
    if (lacks && has_waited) tile.ask_for_counts(balance);
    tile.make_masses(weight);
    tile.sweep_strips();
    task = Task::of<lacks>(balance, tiles, excess_tiles, later, later_number);
    if constexpr (lacks) {
      if (!has_waited) {
        grid_dependency_sync();
        tile.ask_for_counts(balance);
        has_waited = true;
      }
      tile.ask_for_items(exported);
    }
    tile.sweep_both();
    if constexpr (lacks) tile.ask_for_sums(rows);
    if constexpr (!lacks) WarpTile<lacks>::template load<0, half>(weights, task.number, weight);
    tile.make_keys();
    if constexpr (lacks) {
      tile.take_from_others(exported, rows);
      WarpTile<lacks>::template load<0, half>(weights, task.number, weight);
    }
    tile.merge_left();
    WarpTile<lacks>::template load<half, 2 * half>(weights, task.number, weight);
    tile.write(rows);
    if constexpr (lacks) {
      tile.write_taken(rows, exported);
      __syncwarp();
    } else {
      tile.export_items(rows, exported, balance, place);
    }
    if (!tile.has_room() && threadIdx.x == 0) atomicAdd(without_room, 1);
    if (next >= count) return;
    place = next;
  }
}

}  // namespace wrsgpu::experiments::warp_tiles
