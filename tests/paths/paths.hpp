#pragma once

#include <string>
#include <string_view>

/// Where this build stands. Asked of one small library and not defined on the compiler's command line, because such a
/// path would make every test's object file one of this checkout alone: no other could take it from the compiler cache.
namespace spillway::paths {

/// A file or folder of the source tree, by its path from the top of the tree.
std::string source(std::string_view path);

/// A file or folder of this build, by its path from the top of the build folder.
std::string build(std::string_view path);

/// The program `spillway` of this build.
std::string program();

}  // namespace spillway::paths
