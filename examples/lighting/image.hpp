// Pictures side by side in a PPM file, of 8 bits a channel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string_view>
#include <vector>

#include "examples/lighting/environment_view.hpp"
#include "examples/lighting/vectors.hpp"
#include "wrsgpu/detail/core/write_file_atomically.hpp"

namespace lighting {

/// Pictures of equal height, from left to right.
class Strip {
 public:
  explicit Strip(std::uint32_t height) : rows_(height) {}

  /// @param picture row by row; its width follows from its size
  /// @param exposure what to multiply by before tone mapping
  void append(const std::vector<Colour>& picture, float exposure) {
    const std::size_t width = picture.size() / rows_.size();
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (std::size_t x = 0; x < width; ++x)
        append(rows_[row], exposure * picture[row * width + x]);
    }
  }

  /// @param commit stands in a comment, as records name theirs
  void write(const std::filesystem::path& path, std::string_view commit) const {
    wrsgpu::write_file_atomically(path, [&](std::ostream& stream) {
      stream << "P6\n# commit " << commit << '\n'
             << rows_.front().size() / 3 << ' ' << rows_.size() << "\n255\n";
      for (const Row& row : rows_) {
        stream.write(row.data(), static_cast<std::streamsize>(row.size()));
      }
    });
  }

 private:
  using Row = std::vector<char>;

  static void append(Row& row, const Colour& colour) {
    for (const float channel : {colour.red, colour.green, colour.blue}) {
      row.push_back(static_cast<char>(tone_mapped(channel)));
    }
  }
  /// Maps all radiances to below 1, and encodes them for displays of gamma 2.2.
  [[nodiscard]] static std::uint8_t tone_mapped(float radiance) {
    const float shown = 1 - std::exp(-radiance);
    return static_cast<std::uint8_t>(255 * std::pow(shown, 1 / 2.2F) + 0.5F);
  }

  std::vector<Row> rows_;
};

/// A map reduced to `height` rows of mean radiances, as wide as it is high twice.
inline std::vector<Colour> thumbnail(const EnvironmentView& map, std::uint32_t height) {
  const std::uint32_t width = 2 * height;
  std::vector<Colour> picture(std::size_t{width} * height, Colour{0, 0, 0});
  std::vector<float> counts(picture.size());
  for (std::uint32_t pixel = 0; pixel < map.pixels(); ++pixel) {
    const std::uint32_t row = pixel / map.width() * height / map.height();
    const std::uint32_t column = pixel % map.width() * width / map.width();
    const std::size_t at = std::size_t{row} * width + column;
    picture[at] = picture[at] + map.radiance(pixel);
    ++counts[at];
  }
  for (std::size_t at = 0; at < picture.size(); ++at) {
    picture[at] = 1 / std::max(1.0F, counts[at]) * picture[at];
  }
  return picture;
}

}  // namespace lighting
