#pragma once

#include <functional>
#include <string>

namespace spillway::crew {

/// What the launcher started this process as.
struct Role {
  bool is_worker = false;
  unsigned workers = 0;  ///< that this process may ask; 0: it was not started by the launcher

  bool is_alone() const { return !is_worker && workers == 0; }
};

/// Throws std::runtime_error: the environment has a role that no launcher gives.
Role role();

/// A worker's life: answers requests one after the other, until its launcher goes. `identity`: text that is the same
/// for all processes that may take part. What `answer` throws becomes the answer. SIGINT and SIGTERM are ignored from
/// here on: who gives the requests decides when to end.
void serve(int socket, const std::string& identity, const std::function<std::string(const std::string&)>& answer);

}  // namespace spillway::crew
