// SPDX-License-Identifier: Apache-2.0
// Files for fibers: through the ring, without one, with one that is full or lost.
#include "sched/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sched/interrupt.h"
#include "sched/runtime.h"
#include "sched/thread.h"

namespace weft::sched {
namespace {

constexpr std::size_t block_bytes = 4096;
constexpr std::size_t blocks = 64;

// Each block says which one it is.
char content_of(std::size_t block) {
  return static_cast<char>('A' + block % 26);
}

// A file that nobody else finds.
class File {
 public:
  explicit File(int flags = 0) {
    std::string path = ::testing::TempDir() + "weft_files.XXXXXX";
    EXPECT_GE(writer_ = ::mkstemp(path.data()), 0);
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | flags);
    ::unlink(path.c_str());
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::string block(block_bytes, content_of(i));
      EXPECT_EQ(::write(writer_, block.data(), block_bytes), static_cast<ssize_t>(block_bytes));
    }
  }
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
    ::close(writer_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int descriptor() const { return descriptor_; }  // -1: the file system does not know the flags

  // Has the kernel forget what is in the cache. Answers whether it did, of the first block.
  bool evict() const {
    ::fsync(writer_);
    ::posix_fadvise(writer_, 0, 0, POSIX_FADV_RANDOM);
    ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_RANDOM);
    ::posix_fadvise(writer_, 0, 0, POSIX_FADV_DONTNEED);
    char byte = 0;
    const iovec vector{&byte, 1};
    return ::preadv2(descriptor_, &vector, 1, 0, RWF_NOWAIT) == -1 && errno == EAGAIN;
  }

 private:
  int writer_ = -1;
  int descriptor_ = -1;
};

class Fiber {
 public:
  Fiber(Runtime& runtime, std::function<void()> function) : function_(std::move(function)) {
    EXPECT_EQ(spawn(runtime, nullptr, main, this, &thread_), 0);
  }
  void join() { EXPECT_EQ(sched::join(thread_, nullptr), 0); }

 private:
  static void* main(void* self) {
    static_cast<Fiber*>(self)->function_();
    return nullptr;
  }
  std::function<void()> function_;
  Thread* thread_ = nullptr;
};

void on_fibers(Runtime& runtime, std::size_t count, std::function<void(std::size_t)> function) {
  std::vector<std::unique_ptr<Fiber>> fibers;
  for (std::size_t i = 0; i < count; ++i) {
    fibers.push_back(std::make_unique<Fiber>(runtime, [&function, i] { function(i); }));
  }
  for (auto& fiber : fibers) fiber->join();
}

std::uint64_t waits_for_files(Runtime& runtime) {
  std::uint64_t waits = 0;
  runtime.for_each_worker([&](Worker& worker) {
    waits += worker.parks[static_cast<std::size_t>(fiber::ParkKind::file)].value();
  });
  return waits;
}

void read_all_blocks(Runtime& runtime, const File& file) {
  on_fibers(runtime, blocks, [&](std::size_t block) {
    std::string content(block_bytes, '?');
    const auto offset = static_cast<off_t>(block * block_bytes);
    EXPECT_EQ(read_at(file.descriptor(), content.data(), block_bytes, offset),
              static_cast<long>(block_bytes));
    EXPECT_EQ(content, std::string(block_bytes, content_of(block)));
  });
}

TEST(FilesTest, WhatIsNotInTheCacheIsAwaited) {
  for (const std::uint32_t workers : {1, 2}) {
    Runtime runtime({.workers = workers, .lends_places = false});
    const File file;
    const bool evicted = file.evict();
    read_all_blocks(runtime, file);
    if (evicted && runtime.files().is_usable()) {
      EXPECT_NE(waits_for_files(runtime), 0);
    }
  }
}

TEST(FilesTest, AReadIsWholeUpToTheEnd) {
  Runtime runtime({.workers = 1});
  const File file;
  for (const bool evicted : {false, true}) {
    if (evicted) file.evict();
    on_fibers(runtime, 1, [&](std::size_t) {
      constexpr std::size_t all = blocks * block_bytes;
      std::vector<char> content(all + 1);
      EXPECT_EQ(read_at(file.descriptor(), content.data(), content.size(), 0),
                static_cast<long>(all));
      for (std::size_t i = 0; i < blocks; ++i) {
        EXPECT_EQ(content[i * block_bytes], content_of(i));
      }
      EXPECT_EQ(read_at(file.descriptor(), content.data(), 1, all), 0);
      if (evicted) file.evict();
      const iovec vectors[] = {{content.data(), 10}, {content.data() + 10, all}};
      EXPECT_EQ(read_vector_at(file.descriptor(), vectors, 2, 0), static_cast<long>(all));
      EXPECT_EQ(read_vector_at(file.descriptor(), vectors, 2, all - 100), 100);
      EXPECT_EQ(content[99], content_of(blocks - 1));
    });
  }
}

TEST(FilesTest, WithoutARingAllIsDoneAtHome) {
  Runtime runtime({.workers = 1, .file_requests = 0});
  EXPECT_FALSE(runtime.files().is_usable());
  const File file;
  file.evict();
  read_all_blocks(runtime, file);
  on_fibers(runtime, 2, [&](std::size_t) { EXPECT_EQ(synchronize(file.descriptor()), 0); });
  EXPECT_EQ(waits_for_files(runtime), 0);
}

TEST(FilesTest, WhoFindsTheRingFullGoesHome) {
  Runtime runtime({.workers = 2, .file_requests = 2});
  const File file;
  for (int i = 0; i < 5; ++i) {
    file.evict();
    read_all_blocks(runtime, file);
    on_fibers(runtime, 16, [&](std::size_t) { EXPECT_EQ(synchronize_data(file.descriptor()), 0); });
  }
}

TEST(FilesTest, ARingThatIsClosedByOthersIsDoneWithout) {
  Runtime runtime({.workers = 1, .lends_places = false});
  const File file;
  on_fibers(runtime, 1, [&](std::size_t) { EXPECT_EQ(synchronize(file.descriptor()), 0); });
  if (!runtime.files().is_usable()) GTEST_SKIP() << "no io_uring here";
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const auto target = std::filesystem::read_symlink(entry.path(), error);
    if (target == "anon_inode:[io_uring]") ::close(std::stoi(entry.path().filename()));
  }
  file.evict();
  on_fibers(runtime, 4, [&](std::size_t) { EXPECT_EQ(synchronize(file.descriptor()), 0); });
  read_all_blocks(runtime, file);
  EXPECT_FALSE(runtime.files().is_usable());
}

// As the filters of containers do.
void refuse(long system_call) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(system_call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = 4, .filter = filter};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    ::_exit(0);  // no filters here
  }
}

TEST(FilesDeathTest, AFilterThatRefusesTheRingLeavesTheWayHome) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const long call : {SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register}) {
    const auto read_filtered = [call] {
      refuse(call);
      // Who runs at home in place of a worker asks no ring, and would not learn that it is refused.
      Runtime runtime({.workers = 1, .lends_places = false});
      const File file;
      file.evict();
      read_all_blocks(runtime, file);
      on_fibers(runtime, 4, [&](std::size_t) { EXPECT_EQ(synchronize(file.descriptor()), 0); });
      const bool needs_it = call != SYS_io_uring_register;
      if (needs_it) {
        EXPECT_FALSE(runtime.files().is_usable());
      }
      ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(read_filtered(), ::testing::ExitedWithCode(0), "");
  }
}

TEST(FilesTest, ErrorsAreThoseOfTheCalls) {
  Runtime runtime({.workers = 1});
  const File file;
  on_fibers(runtime, 1, [&](std::size_t) {
    char byte = 'x';
    const iovec vector{&byte, 1};
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC | O_DIRECT), 0);
    EXPECT_EQ(read_at(file.descriptor(), &byte, 1, -1), -EINVAL);
    EXPECT_EQ(write_at(file.descriptor(), &byte, 1, -1), -EINVAL);
    EXPECT_EQ(read_vector_at(file.descriptor(), &vector, 1, -1), -EINVAL);
    EXPECT_EQ(write_vector_at(file.descriptor(), &vector, 1, -1), -EINVAL);
    EXPECT_EQ(read_at(ends[0], &byte, 1, 0), -ESPIPE);
    EXPECT_EQ(read_at(ends[0], &byte, 512, 0), -ESPIPE);
    EXPECT_EQ(write_at(ends[1], &byte, 1, 0), -ESPIPE);
    EXPECT_EQ(read_at(-1, &byte, 1, 0), -EBADF);
    EXPECT_EQ(write_at(-1, &byte, 1, 0), -EBADF);
    EXPECT_EQ(read_at(file.descriptor(), nullptr, 1, 0), -EFAULT);
    EXPECT_EQ(synchronize(-1), -EBADF);
    EXPECT_EQ(synchronize(ends[0]), -EINVAL);
    EXPECT_EQ(synchronize_range(ends[0], 0, 1, 0), -ESPIPE);
    EXPECT_EQ(synchronize_range(file.descriptor(), 0, 1, 0x1000), -EINVAL);
    EXPECT_EQ(synchronize_range(file.descriptor(), 0, off_t{1} << 33, SYNC_FILE_RANGE_WRITE), 0);
    for (const int end : ends) ::close(end);
  });
}

TEST(FilesTest, PositionedWritesToAFileThatIsAppendedToAreAppended) {
  Runtime runtime({.workers = 1});
  const File file(O_APPEND);
  on_fibers(runtime, 8,
            [&](std::size_t) { EXPECT_EQ(write_at(file.descriptor(), "ab", 2, 0), 2); });
  EXPECT_EQ(::lseek(file.descriptor(), 0, SEEK_END), static_cast<off_t>(blocks * block_bytes + 16));
}

TEST(FilesTest, PastTheCacheTheAnswersAreTheDevices) {
  Runtime runtime({.workers = 1});
  const File file(O_DIRECT);
  if (file.descriptor() < 0) GTEST_SKIP() << "no O_DIRECT here";
  std::vector<char> memory(3 * block_bytes);
  auto* const block = reinterpret_cast<char*>(
      (reinterpret_cast<std::uintptr_t>(memory.data()) + block_bytes - 1) & -block_bytes);
  const long native_odd = ::pread(file.descriptor(), block, 100, 1) < 0 ? -errno : 0;
  on_fibers(runtime, 1, [&](std::size_t) {
    EXPECT_EQ(read_at(file.descriptor(), block, block_bytes, block_bytes),
              static_cast<long>(block_bytes));
    EXPECT_EQ(block[0], content_of(1));
    EXPECT_EQ(write_at(file.descriptor(), block, block_bytes, 0), static_cast<long>(block_bytes));
    EXPECT_EQ(read_at(file.descriptor(), block, block_bytes, 0), static_cast<long>(block_bytes));
    EXPECT_EQ(block[0], content_of(1));
    EXPECT_EQ(read_at(file.descriptor(), block, block_bytes, blocks * block_bytes), 0);
    if (native_odd < 0) {
      EXPECT_EQ(read_at(file.descriptor(), block, 100, 1), native_odd);
      EXPECT_EQ(write_at(file.descriptor(), block, 100, 1), native_odd);
    }
  });
}

TEST(FilesTest, AnInterruptDoesNotEndAWaitForAFile) {
  Runtime runtime({.workers = 2});
  const File file;
  std::atomic<fiber::Fiber*> syncing{nullptr};
  std::atomic<bool> stop{false};
  Fiber syncer(runtime, [&] {
    syncing = &fiber::self();
    for (int i = 0; i < 20; ++i) EXPECT_EQ(synchronize(file.descriptor()), 0);
    stop = true;
  });
  Fiber interrupter(runtime, [&] {
    while (!stop) {
      if (syncing != nullptr) interrupt(*syncing.load(), 1);
      yield();
    }
  });
  syncer.join();
  interrupter.join();
}

}  // namespace
}  // namespace weft::sched
