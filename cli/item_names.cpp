#include "item_names.hpp"

#include <utility>

namespace wrsgpu::cli {

ItemNames::ItemNames(weights::WeightFile file) : are_lines_(!file.lines.empty()) {
  names_ = std::move(are_lines_ ? file.lines : file.labels);
  header_ = std::move(are_lines_ ? file.header_line : file.labels_name);
  if (!are_lines_ && header_.empty()) header_ = "label";
}

}  // namespace wrsgpu::cli
