// The rows of one tile, by two warps: each pairs the items of one half, then the first warp pairs
// the rest of both halves. The phases, separated by block barriers (make_rows_of_tile in
// kernel.cuh):
//
//   first warp                      second warp
//   ------------------------------  --------------------------------------------------------------
//   fill: masses and lists of its   fill; then receive, or keep_residual
//   half, as weights arrive
//   ------------------------------  --------------------------------------------------------------
//   give_units, sweep_half          give_units, sweep_half; prefetches the next tile's weights
//   exclude, if items are exported  exclude
//   ------------------------------  --------------------------------------------------------------
//   sweep_rest, of both halves      prepares the next tile's task
//   ------------------------------  --------------------------------------------------------------
//   writes the rows of its half,    the same
//   and starts to copy the next tile's weights over these
//   ------------------------------  --------------------------------------------------------------
#pragma once

#include <utility>

#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/merge/exports.cuh"
#include "wrsgpu/detail/warp_pairing/shared_words.cuh"
#include "wrsgpu/detail/warp_pairing/tasks.cuh"

namespace wrsgpu::warp_pairing {

inline constexpr unsigned all_lanes = ~0U;

/// Masses of 48 bits, then rows: the lower 32 bits become the own part, the upper 16 bits the
/// alias. The name of an item, which is also stored as an alias, is the address of its upper bits.
/// `room` is the maximum number of received items.
template <Index room>
struct alignas(16) TileMemory {
  std::uint32_t low[mass_tile_items + room];
  std::uint16_t high[mass_tile_items + room];
  /// For each half, a list of heavy items that grows from the front, and one of light items that
  /// grows from the back.
  std::uint16_t names[mass_tile_items + room];
  Index received_item[room + 1];  // the last one has no row here
  std::uint64_t half_mass[2];
  std::uint64_t residual;  // mass of the item without a row
  std::uint64_t half_residual[2];
  /// Positions in the lists of each half, and the number of names left in them.
  struct {
    std::uint16_t heavy;
    std::uint16_t light;
    std::uint16_t heavies;
    std::uint16_t lights;
  } left[2];
  Index received;
  PairingTask task;
};
/// Items of a half whose masses are computed together and whose rows are written together.
inline constexpr Index part_items = 256;
/// Resident tiles per multiprocessor.
inline constexpr Index resident_tiles = 12;
static_assert(sizeof(TileMemory<typical_received>) <= 18 * 1024);

inline constexpr Index name_bytes = sizeof(std::uint16_t);

/// One list, or two consecutive ones, from which the lanes of the warp take names. Addresses ascend
/// or descend from one name to the next.
template <bool ascends>
class JoinedLists {
 public:
  __device__ JoinedLists(Index first, Index first_count, Index second, Index second_count)
      : first_(first),
        second_(moved(second, 0 - first_count)),
        first_count_(first_count),
        count_(first_count + second_count) {}

  [[nodiscard]] __device__ Index left() const { return count_ - taken_; }
  [[nodiscard]] __device__ Index operator[](Index i) const {
    const Index place = taken_ + i;
    return load16(moved(place < first_count_ ? first_ : second_, place));
  }
  __device__ void drop(Index count) { taken_ += count; }

 private:
  [[nodiscard]] static __device__ Index moved(Index address, Index names) {
    return ascends ? address + name_bytes * names : address - name_bytes * names;
  }

  Index first_;
  Index second_;
  Index first_count_;
  Index count_;
  Index taken_ = 0;
};
using HeavyLists = JoinedLists<true>;
using LightLists = JoinedLists<false>;

/// The work of a tile's two warps, by the rules of wrsgpu/detail/masses/warp_pairing.hpp. All lanes
/// must call each function.
template <Index room>
class TileSweep {
 public:
  __device__ TileSweep(TileMemory<room>& memory, Index half)
      : memory_(memory),
        half_(half),
        high_(address_of(memory.high)),
        low_offset_(address_of(memory.low) - 2 * high_),
        lane_(threadIdx.x % lanes),
        below_((1U << (threadIdx.x % lanes)) - 1),
        heavy_(address_of(memory.names) + name_bytes * half * half_items),
        light_(heavy_ + name_bytes * (half_items - 1 + half * room)) {}

  /// Computes the masses of the half (f_i of wrsgpu/detail/masses/mass_tiles.hpp), and appends all
  /// items except those in `exported_mask` to the lists. `products` gives the lane's items of the
  /// next rows of the half, times the slope.
  template <bool has_exported, class Products>
  __device__ void fill(RowMask exported_mask, const Products& products) {
    // Adding 2^52 to a smaller number leaves the nearest integer in the lower 52 bits.
    constexpr std::uint64_t exponent = 0x433;
    constexpr double magic = 0x1p52;
    constexpr int rows = part_items / lanes;  // whose masses are computed together
    Index heavy = heavy_;
    Index light = light_;
    Index to_light = light_ - heavy_ - name_bytes * lane_;
    Index name = name_of(half_ * half_items + lane_);
    std::uint32_t* low = memory_.low + half_ * half_items + lane_;
    std::uint16_t* high = memory_.high + half_ * half_items + lane_;
    std::uint64_t sum = 0;
#pragma unroll 1
    for (int first = 0; first < static_cast<int>(half_items / lanes); first += rows) {
      double product[rows];
      products(first, product);
      std::uint64_t bits[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        bits[r] = static_cast<std::uint64_t>(__double_as_longlong(__dadd_rn(product[r], magic)));
      }
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const Index upper = static_cast<Index>(bits[r] >> 32) - static_cast<Index>(exponent << 20);
        low[r * lanes] = static_cast<std::uint32_t>(bits[r]);
        high[r * lanes] = static_cast<std::uint16_t>(upper);
        sum += bits[r];
        const bool is_heavy = upper > 0;
        if constexpr (!has_exported) {
          // The position of a light item in its row is its lane, less the number of heavy items
          // before it.
          const unsigned heavies = __ballot_sync(all_lanes, is_heavy ? 1 : 0);
          store16_alone(heavy + (is_heavy ? 0 : to_light) + name_bytes * __popc(heavies & below_),
                        name + r * lanes * name_bytes);
          heavy += name_bytes * __popc(heavies);
          to_light -= name_bytes * lanes;
        } else {
          const bool is_here = (exported_mask >> r & 1) == 0;
          const unsigned heavies = __ballot_sync(all_lanes, is_here && is_heavy ? 1 : 0);
          const unsigned lights = __ballot_sync(all_lanes, is_here && !is_heavy ? 1 : 0);
          const Index place = is_heavy ? heavy + name_bytes * __popc(heavies & below_)
                                       : light - name_bytes * __popc(lights & below_);
          if (is_here) store16_alone(place, name + r * lanes * name_bytes);
          heavy += name_bytes * __popc(heavies);
          light -= name_bytes * __popc(lights);
        }
      }
      low += rows * lanes;
      high += rows * lanes;
      name += rows * lanes * name_bytes;
      exported_mask >>= rows;
    }
    heavies_ = (heavy - heavy_) / name_bytes;
    lights_ = has_exported ? (light_ - light) / name_bytes : half_items - heavies_;
    sum -= half_items / lanes * (exponent << 52);
    sum = warp_sum(sum);
    if (lane_ == 0) memory_.half_mass[half_] = sum;
    __syncwarp();
  }

  /// Prefetched exports for a tile that lacks mass: the first items of two donor tiles, one per
  /// lane.
  struct Offer {
    Index donors;          // number of tiles with an excess
    std::uint64_t before;  // sum of the excesses before the first of the two
    std::uint64_t inclusive_sum[2];
    Index item[2];
  };
  [[nodiscard]] __device__ Offer load_offer(const PairingExports& exported,
                                            const merge::Balance& balance,
                                            const PairingTask& task) const {
    Offer offer;
    offer.donors = *balance.excess_count;
    offer.before = balance.excess_before[task.from];
#pragma unroll
    for (Index d = 0; d < 2; ++d) {
      const Index donor = min(task.from + d, offer.donors - 1);
      offer.inclusive_sum[d] = exported.inclusive_sum[donor * tile_groups + lane_];
      offer.item[d] = exported.item[donor * tile_groups + lane_];
    }
    return offer;
  }
  /// Called by the second warp: appends the received items to its heavy items, until they cover
  /// what the tile `lacks`. Returns whether they fit; if not, the rows of the tile are invalid
  /// until it is processed again.
  [[nodiscard]] __device__ bool receive(const PairingExports& exported,
                                        const merge::Balance& balance, const Offer& offer,
                                        const PairingTask& task, std::uint64_t lacks) {
    const std::uint64_t end = task.more + lacks;
    std::uint64_t residual = 0;
    Index residual_item = 0;
    Index received = 0;
    std::uint64_t inclusive_sum = offer.before;
    Index counts = merge::Balance::not_yet;  // of donors after the second, one per lane
#pragma unroll 1
    for (Index donor = task.from;
         inclusive_sum < end && donor < offer.donors && received <= max_received; ++donor) {
      const Index number = donor - task.from;
      Index count = number == 0 ? task.count[0] : task.count[1];
      if (number >= 2) {
        // The counts of `lanes` donors at once.
        if (number % lanes == 2) counts = chosen(balance, min(donor + lane_, offer.donors - 1));
        count = __shfl_sync(all_lanes, counts, static_cast<int>((number - 2) % lanes));
        __syncwarp();  // makes the acquire of each lane visible to all
        if (count == merge::Balance::not_yet) count = wait_for_chosen_by_warp(balance, donor);
      }
      // A donor without exports means that the weights are unsupported.
      if (count == merge::Balance::not_yet || count == 0) break;
#pragma unroll 1
      for (Index first = 0; first < count && inclusive_sum < end; first += lanes) {
        const bool is_any = first + lane_ < count;
        std::uint64_t behind;
        Index item;
        if (first == 0 && number < 2) {
          behind = number == 0 ? offer.inclusive_sum[0] : offer.inclusive_sum[1];
          item = number == 0 ? offer.item[0] : offer.item[1];
        } else {
          const Index at = donor * tile_groups + min(first + lane_, count - 1);
          behind = exported.inclusive_sum[at];
          item = exported.item[at];
        }
        std::uint64_t before = __shfl_up_sync(all_lanes, behind, 1);
        if (lane_ == 0) before = inclusive_sum;
        inclusive_sum = __shfl_sync(all_lanes, behind, lanes - 1);
        const std::uint64_t from = before > task.more ? before : task.more;
        const bool is_here = is_any && behind > task.more && before < end;
        const bool is_whole = is_here && behind <= end;
        const unsigned whole = __ballot_sync(all_lanes, is_whole ? 1 : 0);
        const Index place = received + __popc(whole & below_);
        if (is_whole && place < room) {
          const std::uint64_t excess = behind - from;
          const Index local = mass_tile_items + place;
          memory_.low[local] = static_cast<std::uint32_t>(excess);
          memory_.high[local] = static_cast<std::uint16_t>((excess >> 32) + 1);
          memory_.received_item[place] = item;
          store16(heavy_ + name_bytes * (heavies_ + place), name_of(local));
        }
        received += __popc(whole);
        const unsigned part = __ballot_sync(all_lanes, is_here && !is_whole ? 1 : 0);
        if (part != 0) {
          const int source_lane = first_of(part);
          residual = __shfl_sync(all_lanes, end - from, source_lane);
          residual_item = __shfl_sync(all_lanes, item, source_lane);
        }
      }
    }
    if (received > max_received) is_supported_ = false;
    const Index placed = min(received, room);
    heavies_ += placed;
    if (lane_ == 0) {
      memory_.received = placed;
      memory_.received_item[room] = residual_item;
      memory_.residual = residual;
    }
    __syncwarp();
    return placed == received;
  }
  /// Counterpart of `receive` for a tile with an excess: keeps the residual of the last item that
  /// it exports.
  __device__ void keep_residual(std::uint64_t residual, Index item) {
    if (lane_ > 0) return;
    memory_.received = 0;
    memory_.received_item[room] = item;
    memory_.residual = residual;
  }

  /// The first light items give or take one unit each, so that the masses add up to the mass of the
  /// tile: items of the first half, and also of the second if these do not suffice. `has_weight` is
  /// called for items without mass.
  template <class HasWeight>
  __device__ void give_units(std::uint64_t tile_mass, const HasWeight& has_weight) {
    const std::uint64_t left = tile_mass - memory_.half_mass[0] - memory_.half_mass[1];
    const bool is_too_much = static_cast<std::int64_t>(left) < 0;
    std::uint64_t wanted = is_too_much ? 0 - left : left;
    const bool by_both = wanted > max_units_of_first_half;
    if (half_ == 0) wanted -= give_units_of_half(wanted, is_too_much, has_weight);
    if (by_both) {
      std::uint64_t& still_wanted = memory_.half_residual[1];  // the second half needs it later
      if (half_ == 0 && lane_ == 0) still_wanted = wanted;
      __syncthreads();
      if (half_ == 1) {
        wanted = still_wanted;
        wanted -= give_units_of_half(wanted, is_too_much, has_weight);
      }
    }
    if (half_ == (by_both ? 1 : 0) && wanted > 0) is_supported_ = false;
    __syncwarp();
  }

  __device__ void sweep_half() {
    std::uint64_t residual = memory_.residual / 2 + (half_ == 1 ? memory_.residual % 2 : 0);
    if (heavies_ >= lanes) {
      Current current = take(load16(heavy_ + name_bytes * lane_));
      heavies_ -= lanes;
      heavy_ += name_bytes * lanes;
      step_all(current);
      step_some(current);
      fill_runs(current, residual);
      put_back(current);
    }
    if (lane_ == 0) {
      memory_.half_residual[half_] = residual;
      memory_.left[half_] = {static_cast<std::uint16_t>(heavy_), static_cast<std::uint16_t>(light_),
                             static_cast<std::uint16_t>(heavies_),
                             static_cast<std::uint16_t>(lights_)};
    }
  }

  /// Called by the first warp.
  __device__ void sweep_rest() {
    const auto& [first, second] = memory_.left;
    HeavyLists heavies(first.heavy, first.heavies, second.heavy, second.heavies);
    LightLists lights(first.light, first.lights, second.light, second.lights);
    const Index first_heavies = min(heavies.left(), lanes);
    const Index first_lights = min(lights.left(), lanes - first_heavies);
    const bool is_any = lane_ < first_heavies + first_lights;
    Current current{};
    if (is_any) {
      current = take(lane_ < first_heavies ? heavies[lane_] : lights[lane_ - first_heavies]);
    }
    heavies.drop(first_heavies);
    lights.drop(first_lights);
    // If any lane lacks a current item, the lists are empty.
#pragma unroll 1
    while (true) {
      const unsigned heavy = heavy_lanes(current);
      const auto count = static_cast<Index>(__popc(heavy));
      const Index going_lights = min(count, lights.left());
      const Index going_heavies = min(lanes - count, heavies.left());
      if (going_lights + going_heavies < (heavies.left() > 0 ? 1 : min_active_lanes)) break;
      const bool is_heavy = current.high >= 0;
      const Index place = place_among(heavy, is_heavy);
      if (place < (is_heavy ? going_lights : going_heavies)) {
        step(current, is_heavy ? lights[place] : heavies[place]);
      }
      lights.drop(going_lights);
      heavies.drop(going_heavies);
    }
    __syncwarp();
    merge_rest(current, is_any, lights, memory_.half_residual[0] + memory_.half_residual[1]);
    // Each of the remaining heavy items has exactly one bucket.
#pragma unroll 1
    for (Index i = lane_; i < heavies.left(); i += lanes) keep_all(heavies[i]);
  }

  /// Marks items whose rows are not written here.
  __device__ void exclude(RowMask exported_mask) {
    while (exported_mask != 0) {
      const Index row = __ffs(static_cast<int>(exported_mask)) - 1;
      exported_mask &= exported_mask - 1;
      memory_.high[half_ * half_items + row * lanes + lane_] = excluded;
    }
  }

  /// Writes the rows of the half and its share of the rows of received items. Calls `written` after
  /// each part of the half, whose masses are then no longer needed.
  template <bool has_exported, bool is_interleaved, class Items, class Rows, class Written>
  __device__ void write(const Rows& rows, const Items& items, const Written& written) const {
    const Aliases<is_interleaved> aliases(*this, items);
#pragma unroll 1
    for (Index part = 0; part < half_items; part += part_items) {
      const Index first = half_ * half_items + part + lane_;
      const std::uint16_t* const high = memory_.high + first;
      const std::uint32_t* const low = memory_.low + first;
#pragma unroll
      for (Index row = 0; row < part_items / lanes; ++row) {
        const Index name = high[row * lanes];
        const Index own = low[row * lanes];
        // The item of this row, as the sum of two numbers.
        Index begin = items(0) + first;
        Index number = row * lanes;
        if constexpr (is_interleaved) {
          begin = aliases.chunk((half_ * half_items + part + number) / chunk_items) + lane_;
          number %= chunk_items;
        }
        if constexpr (has_exported) {
          store_unless(name == excluded, rows, begin, number, own, aliases.of(name));
        } else {
          store(rows, begin, number, own, aliases.of(name));
        }
      }
      __syncwarp();
      written(part);
    }
#pragma unroll 1
    for (Index i = half_ * lanes + lane_; i < memory_.received; i += 2 * lanes) {
      const Index local = mass_tile_items + i;
      // An item that keeps its whole bucket is its own alias.
      store(rows, memory_.received_item[i], 0, memory_.low[local],
            aliases.of_some_lanes(memory_.high[local], items));
    }
  }

  /// Whether the tile receives no more items than allowed, and its light items can give or take all
  /// units.
  [[nodiscard]] __device__ bool is_supported() const { return is_supported_; }

 private:
  /// Not a name, as names are addresses after `low`; `Aliases` reads no memory for it.
  static constexpr std::uint16_t excluded = 0;

  /// A lane's current item.
  struct Current {
    Index name;
    // Excess over a bucket; negative for light items.
    std::uint32_t low;
    int high;

    [[nodiscard]] __device__ std::uint64_t excess() const {
      return std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | low;
    }
  };

  [[nodiscard]] __device__ Index name_of(Index item) const { return high_ + name_bytes * item; }
  [[nodiscard]] __device__ Index item_of(Index name) const { return (name - high_) / name_bytes; }
  /// Names are two bytes apart, the lower bits of items four.
  [[nodiscard]] __device__ Index low_of(Index name) const { return 2 * name + low_offset_; }
  [[nodiscard]] __device__ Index rowless() const { return name_of(mass_tile_items + room); }

  [[nodiscard]] __device__ Current take(Index name) const {
    return {name, load32(low_of(name)), static_cast<int>(load16(name)) - 1};
  }

  /// The item that a lane takes fills its current item, or is filled by it. Builds the row of the
  /// light one. In PTX, because the compiler would materialise the predicate.
  __device__ void step(Current& current, Index taken) {
    asm volatile(
        "{ .reg .pred heavy;\n"
        "  .reg .b32 low, high, address, row, alias;\n"
        "  ld.shared.u16 high, [%3];\n"
        "  mad.lo.u32 address, %3, 2, %4;\n"
        "  ld.shared.u32 low, [address];\n"
        "  setp.ge.s32 heavy, %2, 0;\n"
        "  mad.lo.u32 address, %0, 2, %4;\n"
        "  @!heavy st.shared.u32 [address], %1;\n"
        "  selp.b32 row, %3, %0, heavy;\n"
        "  selp.b32 alias, %0, %3, heavy;\n"
        "  st.shared.u16 [row], alias;\n"
        "  mov.b32 %0, alias;\n"
        "  add.s32 high, high, -1;\n"
        "  add.cc.u32 %1, %1, low;\n"
        "  addc.u32 %2, %2, high; }"
        : "+r"(current.name), "+r"(current.low), "+r"(current.high)
        : "r"(taken), "r"(low_offset_)
        : "memory");
  }

  /// The lanes whose current item is heavy.
  [[nodiscard]] static __device__ unsigned heavy_lanes(const Current& current) {
    unsigned heavy;
    asm volatile(
        "{ .reg .pred is_heavy;\n"
        "  setp.ge.s32 is_heavy, %1, 0;\n"
        "  vote.sync.ballot.b32 %0, is_heavy, 0xffffffff; }"
        : "=r"(heavy)
        : "r"(current.high));
    return heavy;
  }
  /// The rank of this lane among those lanes, or among the others.
  [[nodiscard]] __device__ Index place_among(unsigned heavy, bool is_heavy) const {
    const auto heavies = static_cast<Index>(__popc(heavy & below_));
    return is_heavy ? heavies : lane_ - heavies;
  }

  /// The address of the name that a lane takes in a step of all lanes. The names that lanes take
  /// from either list are consecutive, so a lane's position follows from the number of lower lanes
  /// that take a heavy item. `ahead` is the lane's position in the heavy list less that of the next
  /// light item, before the first of the steps; each step increases the difference by `lanes`
  /// names, so that it has grown by `number` times as much before step `number`.
  template <Index number>
  [[nodiscard]] __device__ Index next_of_all(const Current& current, Index ahead) {
    Index place;
    asm volatile(
        "{ .reg .pred heavy;\n"
        "  .reg .b32 lanes, below;\n"
        "  setp.ge.s32 heavy, %2, 0;\n"
        "  vote.sync.ballot.b32 lanes, heavy, 0xffffffff;\n"
        "  and.b32 below, lanes, %3;\n"
        "  popc.b32 below, below;\n"
        "  popc.b32 lanes, lanes;\n"
        "  mad.lo.s32 %0, below, %5, %1;\n"
        "  @!heavy add.s32 %0, %0, %4;\n"
        "  @!heavy add.s32 %0, %0, %6;\n"
        "  mad.lo.s32 %1, lanes, %5, %1; }"
        : "=&r"(place), "+r"(light_)
        : "r"(current.high), "r"(below_), "r"(ahead), "n"(-static_cast<int>(name_bytes)),
          "n"(number * lanes * name_bytes));
    return place;
  }
  template <Index... number>
  __device__ void steps_of_all(Current& current, Index ahead,
                               std::integer_sequence<Index, number...> /*numbers*/) {
    (step(current, load16(next_of_all<number>(current, ahead))), ...);
  }

  /// Steps of all lanes while both lists have an item for each lane; several steps at once while
  /// there are enough for every possible outcome.
  __device__ void step_all(Current& current) {
    constexpr Index unroll = 4;
    constexpr Index step_bytes = name_bytes * lanes;
    // The lane's position in the heavy list less that of the next light item.
    Index ahead = heavy_ + name_bytes * lane_ - light_;
    const Index light_end = light_ - name_bytes * lights_;
    const Index heavy_end = heavy_ + name_bytes * heavies_;
    const auto left = [&] {
      return min(light_ - light_end, heavy_end + name_bytes * lane_ - ahead - light_);
    };
#pragma unroll 1
    while (Index times = left() / (unroll * step_bytes)) {
#pragma unroll 1
      for (; times > 0; --times) {
        steps_of_all(current, ahead, std::make_integer_sequence<Index, unroll>());
        ahead += unroll * step_bytes;
      }
    }
#pragma unroll 1
    while (left() >= step_bytes) {
      steps_of_all(current, ahead, std::make_integer_sequence<Index, 1>());
      ahead += step_bytes;
    }
    heavy_ = light_ + ahead - name_bytes * lane_;
    lights_ = (light_ - light_end) / name_bytes;
    heavies_ = (heavy_end - heavy_) / name_bytes;
  }

  /// Steps of the lanes that find an item, while enough lanes do.
  __device__ void step_some(Current& current) {
#pragma unroll 1
    while (true) {
      const unsigned heavy = heavy_lanes(current);
      const auto count = static_cast<Index>(__popc(heavy));
      const Index lights = min(count, lights_);
      const Index heavies = min(lanes - count, heavies_);
      if (lights + heavies < min_active_lanes_in_half) break;
      const bool is_heavy = current.high >= 0;
      const Index place = place_among(heavy, is_heavy);
      if (place < (is_heavy ? lights : heavies)) {
        step(current, load16(is_heavy ? light_ - name_bytes * place : heavy_ + name_bytes * place));
      }
      lights_ -= lights;
      light_ -= name_bytes * lights;
      heavies_ -= heavies;
      heavy_ += name_bytes * heavies;
    }
  }

  /// Returns how many of the `wanted` units the items give or take.
  template <class HasWeight>
  [[nodiscard]] __device__ std::uint64_t give_units_of_half(std::uint64_t wanted, bool is_too_much,
                                                            const HasWeight& has_weight) {
    std::uint64_t given = 0;
#pragma unroll 1
    for (Index first = 0; given < wanted && first < lights_; first += lanes) {
      const bool is_any = first + lane_ < lights_;
      Index name = 0;
      Index mass = 0;
      bool takes_part = false;
      if (is_any) {
        name = load16(light_ - name_bytes * (first + lane_));
        mass = load32(low_of(name));
        const bool can = mass > 0 || (!is_too_much && has_weight(item_of(name)));
        takes_part = can && takes_unit_first(mass);
      }
      const unsigned part = __ballot_sync(all_lanes, takes_part ? 1 : 0);
      if (takes_part && given + __popc(part & below_) < wanted) {
        store32(low_of(name), is_too_much ? mass - 1 : mass + 1);
      }
      given += __popc(part);
    }
    return given < wanted ? given : wanted;
  }

  /// Warp-wide sum of the deficits of one light item per lane, each at most 2^32.
  [[nodiscard]] static __device__ std::uint64_t sum_of_deficits(std::uint64_t deficit) {
    const auto low = static_cast<std::uint32_t>(deficit) & 0xffff;
    const auto high = static_cast<std::uint32_t>(deficit >> 16);
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(all_lanes, low) +
           (std::uint64_t{__reduce_add_sync(all_lanes, high)} << 16);
#else
    return warp_sum(low) + (std::uint64_t{warp_sum(high)} << 16);
#endif
  }
  [[nodiscard]] __device__ std::uint64_t deficit_of(Index name) const {
    return fixed_bucket - (std::uint64_t{load16(name)} << 32 | load32(low_of(name)));
  }

  /// The first lane's item with enough excess, or else the residual, fills the next light items,
  /// one per lane.
  __device__ void fill_runs(Current& current, std::uint64_t& residual) {
#pragma unroll 1
    while (lights_ >= lanes &&
           __any_sync(all_lanes,
                      current.high >= run_buckets || static_cast<int>(residual >> 32) >= run_buckets
                          ? 1
                          : 0) != 0) {
      const Index name = load16(light_ - name_bytes * lane_);
      const std::uint64_t run = sum_of_deficits(deficit_of(name));
      const bool can = current.high >= 0 && current.excess() >= run;
      const unsigned able = __ballot_sync(all_lanes, can ? 1 : 0);
      Index alias = rowless();
      if (able != 0) {
        const int first = __ffs(static_cast<int>(able)) - 1;
        alias = __shfl_sync(all_lanes, current.name, first);
        if (static_cast<int>(lane_) == first) {
          const std::uint64_t left = current.excess() - run;
          current.low = static_cast<std::uint32_t>(left);
          current.high = static_cast<int>(left >> 32);
        }
      } else if (residual >= run) {
        residual -= run;
      } else {
        break;
      }
      store16(name, alias);
      lights_ -= lanes;
      light_ -= name_bytes * lanes;
    }
  }

  /// Pushes the current items back to the front of the lists.
  __device__ void put_back(const Current& current) {
    const bool is_heavy = current.high >= 0;
    const unsigned heavy = __ballot_sync(all_lanes, is_heavy ? 1 : 0);
    const Index heavies = __popc(heavy);
    heavies_ += heavies;
    heavy_ -= name_bytes * heavies;
    lights_ += lanes - heavies;
    light_ += name_bytes * (lanes - heavies);
    const Index place = __popc(heavy & below_);
    __syncwarp();  // all lanes have read the old names
    store16(is_heavy ? heavy_ + name_bytes * place : light_ - name_bytes * (lane_ - place),
            current.name);
    store32(low_of(current.name), current.low);
    store16(current.name, static_cast<std::uint32_t>(current.high + 1));
  }

  __device__ void keep_all(Index name) {
    store32(low_of(name), 0);
    store16(name, name);
  }

  /// Finds the first lane whose `number` is at least `minimum`, or `lanes` if there is none;
  /// numbers ascend. A 4-ary search, of three steps instead of five, because each step depends on
  /// the one before.
  struct Search {
    std::uint64_t number;
    std::uint64_t minimum;
    Index found = 0;

    [[nodiscard]] __device__ Index is_less(Index lane) const {
      return __shfl_sync(all_lanes, number, static_cast<int>(found + lane)) < minimum ? 1 : 0;
    }
    template <Index part>
    __device__ void narrow() {
      const Index parts = is_less(part - 1) + is_less(2 * part - 1) + is_less(3 * part - 1);
      found += part * parts;
    }
    __device__ void finish() { found += is_less(0) + is_less(1); }
  };

  /// Builds the rows of the current items and of the remaining light items by a merge; the last
  /// heavy item is the one without a row.
  __device__ void merge_rest(const Current& current, bool is_any, LightLists& lights,
                             std::uint64_t residual) {
    const bool is_heavy = is_any && current.high >= 0;
    const unsigned heavies = __ballot_sync(all_lanes, is_heavy ? 1 : 0);
    const std::uint64_t inclusive_sum = warp_inclusive_sum(is_heavy ? current.excess() : 0);
    const std::uint64_t total = __shfl_sync(all_lanes, inclusive_sum, lanes - 1) + residual;
    const auto name_of_first = [&](unsigned of) {
      const Index name = __shfl_sync(all_lanes, current.name, of == 0 ? 0 : first_of(of));
      return of == 0 ? rowless() : name;
    };
    const Index next = name_of_first(heavies & ~below_ & ~(1U << lane_));
    Index first_donor = name_of_first(heavies);  // fills the next light items
    std::uint64_t deficits = 0;                  // so far
    std::uint32_t ends = 0;  // the first sum of deficits beyond `inclusive_sum`, modulo 2^32
    // First the current items, then those of the lists, one per lane at a time.
    Index name = current.name;
    bool is_light = is_any && !is_heavy;
    std::uint64_t deficit = is_light ? 0 - current.excess() : 0;
    if (is_light) store32(low_of(name), current.low);
#pragma unroll 1
    while (true) {
      const std::uint64_t with = deficits + warp_inclusive_sum(deficit);
      const std::uint64_t all = __shfl_sync(all_lanes, with, lanes - 1);
      const bool ends_here = is_heavy && inclusive_sum >= deficits && inclusive_sum < all;
      unsigned ending = __ballot_sync(all_lanes, ends_here ? 1 : 0);
      Index donor = first_donor;
      Index end = 0;  // lane of the light item that uses this heavy item up
      if (__popc(ending) <= few_donors) {
#pragma unroll 1
        for (; ending != 0; ending &= ending - 1) {
          const int source_lane = first_of(ending);
          const std::uint64_t bound = __shfl_sync(all_lanes, inclusive_sum, source_lane);
          first_donor = __shfl_sync(all_lanes, next, source_lane);
          const unsigned beyond = __ballot_sync(all_lanes, with > bound ? 1 : 0);
          if ((beyond & below_) != 0) donor = first_donor;
          if (static_cast<int>(lane_) == source_lane) end = static_cast<Index>(first_of(beyond));
        }
      } else {
        Search first{inclusive_sum, with - deficit};
        Search beyond{with, inclusive_sum + 1};
        first.template narrow<8>();
        beyond.template narrow<8>();
        first.template narrow<2>();
        beyond.template narrow<2>();
        first.finish();
        beyond.finish();
        donor = name_of_first(first.found < lanes ? heavies & (~0U << first.found) : 0);
        end = beyond.found % lanes;
        first_donor =
            name_of_first(__ballot_sync(all_lanes, is_heavy && inclusive_sum >= all ? 1 : 0));
      }
      const std::uint32_t sum =
          __shfl_sync(all_lanes, static_cast<std::uint32_t>(with), static_cast<int>(end));
      if (ends_here) ends = sum;
      if (is_light) store16(name, donor);
      deficits = all;
      if (lights.left() == 0) break;
      is_light = lane_ < lights.left();
      name = is_light ? lights[lane_] : high_;
      deficit = is_light ? deficit_of(name) : 0;
      lights.drop(min(lights.left(), lanes));
    }
    if (!is_heavy) return;
    if (inclusive_sum == total) {
      keep_all(current.name);
    } else {
      store32(low_of(current.name), static_cast<std::uint32_t>(inclusive_sum) - ends);
      store16(current.name, next);
    }
  }
  /// Maximum number of heavy items that end in a round for which these are processed one by one.
  static constexpr int few_donors = 4;
  [[nodiscard]] static __device__ int first_of(unsigned lanes_of) {
    return __ffs(static_cast<int>(lanes_of)) - 1;
  }

  /// Maps names to the items that they denote as aliases.
  template <bool is_interleaved>
  class Aliases {
   public:
    template <class Items>
    __device__ Aliases(const TileSweep& sweep, const Items& items)
        : first_received_(kept(sweep.name_of(mass_tile_items))),
          to_item_(kept((is_interleaved ? 0 : items(0)) - sweep.high_ / name_bytes)),
          to_received_(kept(address_of(sweep.memory_.received_item) - words * first_received_)),
          chunk_(is_interleaved ? items.chunk(sweep.lane_) : 0) {
      static_assert(lanes == tile_chunks);
    }

    /// All lanes must call it.
    [[nodiscard]] __device__ Index of(Index name) const {
      Index item = name / name_bytes + to_item_;
      if constexpr (is_interleaved) item = chunk(item / chunk_items) + item % chunk_items;
      return or_received(name, item);
    }
    template <class Items>
    [[nodiscard]] __device__ Index of_some_lanes(Index name, const Items& items) const {
      const Index item = name / name_bytes + to_item_;
      return or_received(name, is_interleaved ? items(item) : item);
    }
    /// The first item of a chunk of interleaved tiles. All lanes must call it.
    [[nodiscard]] __device__ Index chunk(Index number) const {
      return __shfl_sync(all_lanes, chunk_, static_cast<int>(number));
    }

   private:
    [[nodiscard]] __device__ Index or_received(Index name, Index item) const {
      if (name >= first_received_) item = load32_alone(words * name + to_received_);
      return item;
    }

    static constexpr Index words = sizeof(Index) / name_bytes;
    /// Pinned in a register: the compiler would recompute it for each row.
    [[nodiscard]] static __device__ Index kept(Index number) {
      asm volatile("" : "+r"(number));
      return number;
    }

    Index first_received_;
    Index to_item_;
    Index to_received_;
    Index chunk_;  // the first item of the lane's chunk
  };

  /// Stores the row of item `first + number`; a compact row as one 64-bit store.
  template <class Rows>
  static __device__ void store(const Rows& rows, Index first, Index number, Index own,
                               Index alias) {
    if constexpr (Rows::layout == Layout::compact_rows) {
      words_of(rows, first)[number] = make_uint2(own, alias);
    } else {
      merge::store(rows, first + number, own, alias);
    }
  }
  /// Stores the row unless `is_excluded`. The store of a compact row is predicated: with a branch
  /// per row, the loads of one row would wait for those of the preceding one. The kernel does not
  /// read the row back.
  template <class Rows>
  static __device__ void store_unless(bool is_excluded, const Rows& rows, Index first, Index number,
                                      Index own, Index alias) {
    if constexpr (Rows::layout == Layout::compact_rows) {
      asm volatile(
          "{ .reg .pred stays;\n"
          "  setp.eq.u32 stays, %0, 0;\n"
          "  @stays st.global.v2.u32 [%1], {%2, %3}; }" ::"r"(is_excluded ? 1 : 0),
          "l"(__cvta_generic_to_global(words_of(rows, first) + number)), "r"(own), "r"(alias));
    } else if (!is_excluded) {
      store(rows, first, number, own, alias);
    }
  }
  template <class Rows>
  [[nodiscard]] static __device__ uint2* words_of(const Rows& rows, Index item) {
    return reinterpret_cast<uint2*>(rows.data() + item);
  }

  TileMemory<room>& memory_;
  Index half_;
  Index high_;        // name of the first item
  Index low_offset_;  // from twice a name to the address of the lower bits
  Index lane_;
  unsigned below_;  // mask of the lower lanes
  // Addresses of the next names in the lists, and the numbers of names left.
  Index heavy_;
  Index light_;
  Index heavies_ = 0;
  Index lights_ = 0;
  bool is_supported_ = true;
};

}  // namespace wrsgpu::warp_pairing
