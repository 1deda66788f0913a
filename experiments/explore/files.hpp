#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "experiments/explore/search.hpp"
#include "sim/pipeline/simulate.hpp"

namespace spillway::explore {

/// A member of the final front, simulated again on SimGrid.
struct FrontMember {
  Evaluated evaluated;
  Worth simgrid;
};

/// The directory of a search. While it runs, `search.journal` has a line for each generation, which is all that is
/// needed to go on; front.csv, archive.csv, hypervolume.csv and mappings/ come with its end, and explore.json last.
/// Each of those appears whole or not at all.
class SearchDirectory {
 public:
  /// `configuration`: text that is the same for searches that may go on from each other. Throws
  /// platforms::InputError: the folder holds other files and `force` is not set, or it cannot be made.
  SearchDirectory(std::filesystem::path path, std::string configuration, bool force);

  /// What an ended search left, with its hypervolumes.
  struct Unfinished {
    SearchState state;
    std::vector<Evaluated> archive;
    std::vector<double> volumes;
  };
  /// Empty: there is nothing to go on from. A last generation that was not written to its end is left out. Throws
  /// platforms::InputError for a journal of another search, or one that is damaged.
  std::optional<Unfinished> unfinished(const Space& space) const;

  /// Begins the journal; with what an earlier search left, if it is to go on. Throws trace::FileError.
  void begin(const std::optional<Unfinished>& earlier);

  /// After each generation. Throws trace::FileError.
  void save(const Search& search, const std::vector<double>& volumes);

  /// At the end; `record` is explore.json. Throws trace::FileError.
  void finish(const Search& search, const Space& space, const std::vector<double>& volumes,
              const std::vector<FrontMember>& front, const std::string& record) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::string configuration_;
  std::ofstream journal_;
  std::size_t saved_ = 0;  ///< entries of the archive that the journal has
};

/// `front-001.json`: the file of a member's mapping, by its position in the front.
std::string mapping_file(std::size_t position);

}  // namespace spillway::explore
