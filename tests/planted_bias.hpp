// Samplers and tables with known faults, to see that the tests find them.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "registry/methods.hpp"
#include "registry/samplers.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu::verification {

inline HostTable built_table(const std::vector<double>& weights, TableOptions options = {}) {
  const auto method = make_method("sweep", options);
  method->build(weights);
  return dynamic_cast<const AliasTable&>(*method).to_host();
}

inline std::vector<Index> draw(const HostTable& table, std::size_t samples, RandomState state) {
  std::vector<Index> out(samples);
  find_sampler("direct").make(0)->sample(table, out, state);
  return out;
}

/// Draws sample k as `choose(rows, word)` from word k.
template <class Choose>
std::vector<Index> draw_with(const HostTable& table, std::size_t samples, RandomState state,
                             const Choose& choose) {
  std::vector<Index> out(samples);
  const random::SplitWords<> words(state.seed);
  table.visit([&](auto rows) {
    for (std::size_t k = 0; k < samples; ++k) {
      out[k] = choose(rows, words.word(state.offset + k));
    }
  });
  return out;
}

/// The variate is the word that also chose the row, instead of the part of it that is left.
inline std::vector<Index> draw_with_correlated_coin(const HostTable& table, std::size_t samples,
                                                    RandomState state) {
  return draw_with(table, samples, state, [](const auto& rows, std::uint64_t word) {
    return rows.pick(choose_row(word, rows.size()).row, word);
  });
}

/// The variate is 2% too small, so that rows keep their own items too often.
inline std::vector<Index> draw_with_small_coin(const HostTable& table, std::size_t samples,
                                               RandomState state) {
  return draw_with(table, samples, state, [](const auto& rows, std::uint64_t word) {
    const RowChoice choice = choose_row(word, rows.size());
    return rows.pick(choice.row, choice.fraction - choice.fraction / 50);
  });
}

/// The row's number comes from 16 bits, so that some rows are chosen more often than others.
inline std::vector<Index> draw_with_few_bits(const HostTable& table, std::size_t samples,
                                             RandomState state) {
  return draw_with(table, samples, state, [](const auto& rows, std::uint64_t word) {
    return rows.pick(static_cast<Index>((word & 0xFFFFU) % rows.size()), word >> 16 << 16);
  });
}

/// The table with `change(i, row)` applied to each row; a wide floating-point one.
inline HostTable changed(const HostTable& table,
                         const std::function<void(Index i, WideRow& row)>& change) {
  HostTable copy(Layout::wide_rows, table.size(), table.bucket());
  copy.visit([&]<class To>(const To& to) {
    if constexpr (To::layout == Layout::wide_rows) {
      table.visit([&](auto from) {
        for (Index i = 0; i < table.size(); ++i) {
          const auto old = from.load(i);
          WideRow row{from.own(old), from.alias(old), 0};
          change(i, row);
          to.data()[i] = row;
        }
      });
    }
  });
  return copy;
}

}  // namespace wrsgpu::verification
