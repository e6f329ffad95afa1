// SPDX-License-Identifier: Apache-2.0
// weft::atomic in every build but the model checker's: the standard library's, under our name.
//
// Code that shares memory between threads takes these three from here and not from std, so that
// the `model` preset can put a deterministic scheduler under it; see model/model.h.
#pragma once

#include <atomic>
#include <thread>

namespace weft::base {

template <class T>
using atomic = std::atomic<T>;

using std::atomic_thread_fence;

// Says that the caller spins until another thread has done something.
using std::this_thread::yield;

}  // namespace weft::base

namespace weft {
using base::atomic;
}  // namespace weft
