#include "hw/mpi/runtime/options.hpp"

#include <cstdlib>

namespace spillway::mpi {
namespace {

class Reader {
 public:
  Reader(int argc, char** argv) : argc_(argc), argv_(argv) {}

  Options run() {
    for (position_ = 1; position_ < argc_; ++position_)
      read(argv_[position_]);
    if (!mistakes_.empty()) throw JobError(2, mistakes_);
    return options_;
  }

 private:
  void read(const std::string& option) {
    if (option == "--help")
      options_.help = true;
    else if (option == "--comm")
      read_communication(value(option));
    else if (option == "--frames")
      options_.frames = number(option, 1);
    else if (option == "--warm-up")
      options_.warm_up = number(option, 0);
    else if (option == "--threads")
      options_.threads = static_cast<int>(number(option, 1));
    else if (option == "--packages")
      options_.packages = value(option);
    else if (option == "--results")
      options_.results = value(option);
    else if (option == "--input")
      read_input(value(option));
    else
      mistake("unknown argument \"" + option + "\"; --help shows all");
  }

  void read_communication(const std::string& text) {
    if (text != "paper" && text != "overlap")
      return mistake("--comm: \"" + text + "\" is unknown; expected paper or overlap");
    options_.overlap = text == "overlap";
  }

  void read_input(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      options_.inputs.push_back({"", text});
    else
      options_.inputs.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }

  std::string value(const std::string& option) {
    if (position_ + 1 < argc_) return argv_[++position_];
    mistake(option + ": the value is missing");
    return "";
  }

  long number(const std::string& option, long least) {
    constexpr long most = 1000000000;
    const std::string text = value(option);
    char* end = nullptr;
    const long number = std::strtol(text.c_str(), &end, 10);
    if (!text.empty() && *end == '\0' && least <= number && number <= most) return number;
    mistake(option + ": \"" + text + "\" is no whole number from " + std::to_string(least) + " to " +
            std::to_string(most));
    return least;
  }

  void mistake(const std::string& message) { mistakes_ += (mistakes_.empty() ? "" : "\n") + message; }

  int argc_;
  char** argv_;
  int position_ = 0;
  Options options_;
  std::string mistakes_;
};

}  // namespace

Options read_options(int argc, char** argv) {
  return Reader(argc, argv).run();
}

const char* help_text() {
  return "  --input [NAME=]FILE   raw float32 numbers of an input, one frame behind the other; read again from the\n"
         "                        start when there are fewer frames than are run\n"
         "  --frames N            frames that are measured [20]\n"
         "  --warm-up N           frames before them [4]\n"
         "  --comm paper|overlap  receive, compute, send one after the other, or at the same time [overlap]\n"
         "  --threads N           of each rank, other than the mapping's\n"
         "  --packages DIR        folder that holds the folders of all devices [the program's own folder]\n"
         "  --results DIR         where results and timings are written [.]\n";
}

}  // namespace spillway::mpi
