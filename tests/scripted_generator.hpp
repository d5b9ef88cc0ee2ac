// A generator whose words a test chooses.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace wrsgpu {

/// A generator that returns the words it is given, and from then on those of a fixed sequence.
template <class Word>
class ScriptedGenerator {
 public:
  using result_type = Word;
  ScriptedGenerator(std::initializer_list<Word> words) : words_(words) {}
  static constexpr Word min() { return 0; }
  static constexpr Word max() { return static_cast<Word>(~Word{0}); }
  Word operator()() {
    if (drawn_ < words_.size()) return words_[drawn_++];
    ++drawn_;
    return static_cast<Word>(drawn_ * 0x9E37'79B9'7F4A'7C15ULL);
  }
  /// Number of words drawn so far.
  [[nodiscard]] std::size_t drawn() const { return drawn_; }

 private:
  std::vector<Word> words_;
  std::size_t drawn_ = 0;
};

}  // namespace wrsgpu
