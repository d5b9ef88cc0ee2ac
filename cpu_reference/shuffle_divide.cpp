// The divide-and-conquer shuffles: top-down (Rao-Sandelius) and bottom-up (MergeShuffle).
#include <fmt/format.h>
#include <tbb/parallel_invoke.h>

#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "cpu_reference/shuffle_support.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/sampling/philox_words.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::shuffle {
namespace {

void require_division(const Division& division) {
  if (division.piece_keys == 0) throw Error("pieces of 0 keys cannot be shuffled");
  if (division.digit_bits == 0 || division.digit_bits > 8) {
    throw Error(fmt::format("a division by digits of {} bits is asked for; it must be 1 to 8 bits",
                            division.digit_bits));
  }
}

/// Number of halvings until pieces have about `piece_keys` keys or fewer.
unsigned halvings(std::uint64_t keys, std::uint64_t piece_keys) {
  return static_cast<unsigned>(std::bit_width((keys - 1) / piece_keys));
}

void copy_and_shuffle(Keys in, ShuffledKeys out, std::uint64_t stream, std::uint64_t first) {
  std::copy_n(in.data(), in.size(), out.data());
  shuffle_in_place(out, stream, first);
}

constexpr std::uint64_t divided_block = std::uint64_t{1} << 16;
constexpr std::size_t max_pieces = 256;
using PieceCounts = std::array<std::uint64_t, max_pieces>;

/// One call of rao_sandelius.
class RaoSandelius {
 public:
  RaoSandelius(Keys in, ShuffledKeys out, std::uint64_t seed, const Division& division)
      : in_(in),
        out_(out),
        digits_(stream_of(seed, WordUse::digits)),
        small_pieces_(stream_of(seed, WordUse::small_pieces)) {
    const unsigned bits = halvings(in.size(), division.piece_keys);
    levels_ = (bits + division.digit_bits - 1) / division.digit_bits;
    if (levels_ > 0) digit_bits_ = (bits + levels_ - 1) / levels_;
    if (levels_ > 1) other_ = HostBuffer<std::uint64_t>(in.size());
  }

  [[nodiscard]] bool is_one_piece() const { return levels_ == 0; }

  /// Shuffles the keys at [begin, end), which have been divided `level` times.
  void shuffle(std::uint64_t begin, std::uint64_t end, unsigned level) {
    if (begin == end) return;
    if (level == levels_) {
      const ShuffledKeys piece = out_.subspan(begin, end - begin);
      if (levels_ == 0) std::copy_n(in_.data(), piece.size(), piece.data());
      return shuffle_in_place(piece, small_pieces_, begin);
    }
    const std::vector<std::uint64_t> bounds = divide(begin, end, level);
    for_blocks(bounds.size() - 1,
               [&](std::uint64_t piece) { shuffle(bounds[piece], bounds[piece + 1], level + 1); });
  }

 private:
  /// The buffer with the keys after `level` divisions; the buffers alternate, and the last is
  /// `out_`.
  [[nodiscard]] std::uint64_t* divided(unsigned level) {
    return (levels_ - level) % 2 == 0 ? out_.data() : other_.data();
  }

  /// Calls `use(place, digit)` for the places [begin, end) in order. The digit of a place is one of
  /// the eight bytes of a word, or its upper bits.
  template <class Use>
  void for_digits(std::uint64_t begin, std::uint64_t end, unsigned level, const Use& use) const {
    constexpr std::uint64_t batch = 256;
    std::uint64_t words[batch];
    const std::uint64_t level_words = std::uint64_t{level} << 37;  // 2^40 keys have 2^37 words
    for (std::uint64_t word = begin / 8; word * 8 < end; word += batch) {
      const std::uint64_t count = std::min(batch, (end + 7) / 8 - word);
      philox_words(digits_, level_words + word, {words, count});
      for (std::uint64_t k = 0; k < count; ++k) {
        const std::uint64_t first = (word + k) * 8;
        if (first >= begin && first + 8 <= end) {
#pragma GCC unroll 8
          for (unsigned i = 0; i < 8; ++i) use(first + i, digit(words[k], i));
        } else {
          for (unsigned i = 0; i < 8; ++i) {
            if (first + i >= begin && first + i < end) use(first + i, digit(words[k], i));
          }
        }
      }
    }
  }
  [[nodiscard]] std::size_t digit(std::uint64_t word, unsigned i) const {
    return static_cast<std::size_t>((word >> (8 * i)) & 0xFF) >> (8 - digit_bits_);
  }

  /// Scatters the keys at [begin, end) to random buckets, at offsets computed from the counts of
  /// each block. Returns the beginnings of the buckets, and the end.
  std::vector<std::uint64_t> divide(std::uint64_t begin, std::uint64_t end, unsigned level) {
    const std::size_t pieces = std::size_t{1} << digit_bits_;
    const std::uint64_t blocks = (end - begin + divided_block - 1) / divided_block;
    const auto block_end = [&](std::uint64_t block) {
      return std::min(begin + (block + 1) * divided_block, end);
    };
    std::vector<PieceCounts> counts(blocks);
    for_blocks(blocks, [&](std::uint64_t block) {
      PieceCounts& here = counts[block];
      for_digits(begin + block * divided_block, block_end(block), level,
                 [&](std::uint64_t, std::size_t piece) { ++here[piece]; });
    });
    std::vector<std::uint64_t> bounds(pieces + 1);
    std::uint64_t place = begin;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      bounds[piece] = place;
      for (PieceCounts& of_block : counts) place += std::exchange(of_block[piece], place);
    }
    bounds[pieces] = end;
    const std::uint64_t* const from = level == 0 ? in_.data() : divided(level);
    std::uint64_t* const to = divided(level + 1);
    for_blocks(blocks, [&](std::uint64_t block) {
      PieceCounts next = counts[block];
      for_digits(begin + block * divided_block, block_end(block), level,
                 [&](std::uint64_t key, std::size_t piece) { to[next[piece]++] = from[key]; });
    });
    return bounds;
  }

  Keys in_;
  ShuffledKeys out_;
  std::uint64_t digits_;
  std::uint64_t small_pieces_;
  unsigned levels_ = 0;
  unsigned digit_bits_ = 0;
  HostBuffer<std::uint64_t> other_;
};

/// One call of merge_shuffle.
class MergeShuffle {
 public:
  MergeShuffle(Keys in, ShuffledKeys out, std::uint64_t seed, const Division& division)
      : in_(in),
        out_(out),
        coins_(stream_of(seed, WordUse::coins)),
        insertions_(stream_of(seed, WordUse::insertions)),
        small_pieces_(stream_of(seed, WordUse::small_pieces)),
        levels_(halvings(in.size(), division.piece_keys)) {}

  [[nodiscard]] unsigned levels() const { return levels_; }

  /// Shuffles pieces [first, first + 2^level) of the 2^levels().
  void shuffle(std::uint64_t first, unsigned level) {
    const std::uint64_t begin = start_of(first);
    const std::uint64_t end = start_of(first + (std::uint64_t{1} << level));
    if (level == 0) {
      const std::uint64_t size = end - begin;
      copy_and_shuffle(in_.subspan(begin, size), out_.subspan(begin, size), small_pieces_, begin);
      return;
    }
    const std::uint64_t second = first + (std::uint64_t{1} << (level - 1));
    tbb::parallel_invoke([&] { shuffle(first, level - 1); }, [&] { shuffle(second, level - 1); });
    merge(begin, start_of(second), end, level);
  }

 private:
  /// piece * keys / 2^levels, without the overflow of piece * keys; levels <= 32.
  [[nodiscard]] std::uint64_t start_of(std::uint64_t piece) const {
    const std::uint64_t remainder = in_.size() & ((std::uint64_t{1} << levels_) - 1);
    return (in_.size() >> levels_) * piece + ((remainder * piece) >> levels_);
  }

  /// Word `index` of 64 random bits for the merges of a level. Bits are numbered by place, so that
  /// no two merges of a level share one.
  [[nodiscard]] std::uint64_t level_coins(unsigned level, std::uint64_t index) const {
    return (std::uint64_t{level} << 34) + index;  // 2^40 keys have 2^34 words
  }

  /// Merges the shuffled [begin, middle) and [middle, end). A random bit for each place selects the
  /// run that supplies its key. When that run is exhausted, the rest of the other one is inserted
  /// at random places.
  void merge(std::uint64_t begin, std::uint64_t middle, std::uint64_t end, unsigned level) {
    std::uint64_t* const keys = out_.data();
    constexpr std::uint64_t batch = 64;
    std::uint64_t words[batch];
    std::uint64_t first_word = 0;
    std::uint64_t words_end = 0;
    std::uint64_t next = begin;     // the next place to fill
    std::uint64_t second = middle;  // first remaining key of the second half
    // The random bits of the word that holds place `next`, shifted so that its bit is lowest.
    const auto coins_from_next = [&] {
      const std::uint64_t word = next / 64;
      if (word >= words_end) {
        first_word = word;
        words_end = std::min(word + batch, (end + 63) / 64);
        philox_words(coins_, level_coins(level, first_word), {words, words_end - first_word});
      }
      return words[word - first_word] >> (next % 64);
    };
    while (next < end) {
      std::uint64_t coins = coins_from_next();
      // The maximum number of places that cannot exhaust either half; each half needs one more key
      // to examine.
      std::uint64_t steps = std::min(second - next, end - second);
      steps = std::min(steps > 0 ? steps - 1 : 0, 64 - next % 64);
      if (steps == 0) {
        const bool from_second = (coins & 1) != 0;
        if (from_second ? second == end : next == second) break;
        if (from_second) std::swap(keys[next], keys[second++]);
        ++next;
        continue;
      }
      // Branch-free in the random bits. The next key of the second half stays in a register,
      // because the store-to-load dependency would take as long as everything else.
      std::uint64_t head = keys[second];
      for (std::uint64_t step = 0; step < steps; ++step, coins >>= 1, ++next) {
        const std::uint64_t from_second = coins & 1;
        const std::uint64_t take = std::uint64_t{0} - from_second;  // all bits or none
        const std::uint64_t key = keys[next];
        const std::uint64_t following = keys[second + 1];
        const std::uint64_t difference = (key ^ head) & take;
        keys[next] = key ^ difference;
        keys[second] = head ^ difference;
        head ^= (head ^ following) & take;
        second += from_second;
      }
    }
    for (; next < end; ++next) {
      std::uint64_t word = random::philox_word(insertions_, (std::uint64_t{level} << 40) + next);
      std::swap(keys[next], keys[begin + take_below(next - begin + 1, word)]);
    }
  }

  Keys in_;
  ShuffledKeys out_;
  std::uint64_t coins_;
  std::uint64_t insertions_;
  std::uint64_t small_pieces_;
  unsigned levels_;
};

}  // namespace

void rao_sandelius(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads,
                   const Division& division) {
  require_keys(in, out);
  require_division(division);
  RaoSandelius method(in, out, seed, division);
  if (method.is_one_piece()) return method.shuffle(0, in.size(), 0);
  in_task_arena(threads, [&] { method.shuffle(0, in.size(), 0); });
}

void merge_shuffle(Keys in, ShuffledKeys out, std::uint64_t seed, unsigned threads,
                   const Division& division) {
  require_keys(in, out);
  require_division(division);
  MergeShuffle method(in, out, seed, division);
  if (method.levels() == 0) return method.shuffle(0, 0);
  in_task_arena(threads, [&] { method.shuffle(0, method.levels()); });
}

}  // namespace wrsgpu::shuffle
