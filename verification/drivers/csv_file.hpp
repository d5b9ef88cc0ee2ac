// A CSV file of a verification program.
#pragma once

#include <ostream>
#include <string>

#include "wrsgpu/detail/core/write_file_atomically.hpp"

namespace wrsgpu::verification {

/// A file that is written once all its lines are known; no file without a name.
class CsvFile {
 public:
  CsvFile(std::string path, const std::string& heading) : path_(std::move(path)) { line(heading); }

  void line(const std::string& text) { text_ += text + "\n"; }
  void write() const {
    if (path_.empty()) return;
    write_file_atomically(path_, [&](std::ostream& file) { file << text_; });
  }

 private:
  std::string path_;
  std::string text_;
};

}  // namespace wrsgpu::verification
