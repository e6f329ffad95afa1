// SPDX-License-Identifier: Apache-2.0
// Helpers: a few threads that do what may take long for those who must not wait: they cancel what
// runs on a server, clear up what is left of it, and open connections for a pool.
//
// Libraries of databases have calls that no deadline ends, such as PQcancel() to a server that
// accepts and says nothing. So who ends waits for a while only, and leaves a thread that hangs to
// itself: what work needs, it must hold itself.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace weft::sql {

class Helpers {
 public:
  // So many threads, each started when there is more to do than there are.
  explicit Helpers(std::size_t most);
  // What has not begun is dropped; what runs is waited for, two seconds at most. They may go on one
  // of their own threads, which does not wait for itself.
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  // What it throws ends the process. Throws std::system_error where there is no thread to be had.
  void post(std::function<void()> work);
  // On a thread that is started for it: for what must not wait behind those that hang. Throws as
  // post().
  void post_apart(std::function<void()> work);

 private:
  struct Shared;
  static void run(Shared& shared);
  static void run_one(Shared& shared, std::function<void()> work);

  const std::size_t most_;
  const std::shared_ptr<Shared> shared_;
};

}  // namespace weft::sql
