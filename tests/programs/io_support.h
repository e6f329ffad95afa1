// SPDX-License-Identifier: Apache-2.0
// What the programs about descriptors, time, CPUs and futexes share: checks, threads, loopback.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Ends the program with exit code 1 and a line that begins with "FAILED", which the runner takes
// for a failure wherever it happens.
#define CHECK(condition) \
  ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition, errno))

static inline void check_failed(const char* file, int line, const char* condition, int error) {
  const char* name = error == 0 ? "none" : strerrorname_np(error);
  dprintf(STDOUT_FILENO, "FAILED: %s:%d: %s (errno %s)\n", file, line, condition,
          name != NULL ? name : "unknown");
  _exit(1);
}

// Prints a call's result, or the name of its error.
static inline void show(const char* what, long result) {
  const int error = errno;
  if (result >= 0) {
    printf("%s: %ld\n", what, result);
  } else {
    printf("%s: %s\n", what, strerrorname_np(error));
  }
}

static inline pthread_t start(void* (*body)(void*), void* argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, argument) == 0);
  return thread;
}

static inline void* finish(pthread_t thread) {
  void* result;
  CHECK(pthread_join(thread, &result) == 0);
  return result;
}

// Runs `body` in `count` threads at once; each gets its index as its argument.
static inline void in_threads(int count, void* (*body)(void*)) {
  pthread_t* threads = malloc(sizeof(pthread_t) * (size_t)count);
  CHECK(threads != NULL);
  for (intptr_t i = 0; i < count; ++i) threads[i] = start(body, (void*)i);
  for (int i = 0; i < count; ++i) finish(threads[i]);
  free(threads);
}

static inline void* call_body(void* body) {
  (*(void (**)(void))body)();
  return NULL;
}

// Runs `body` on the main thread, then on another one.
static inline void in_main_and_thread(void (*body)(void)) {
  body();
  finish(start(call_body, &body));
}

static inline int64_t clock_ns(clockid_t clock) {
  struct timespec now;
  CHECK(clock_gettime(clock, &now) == 0);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t now_ns(void) {
  return clock_ns(CLOCK_MONOTONIC);
}

static inline struct timespec timespec_of_ns(int64_t ns) {
  return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

#define MILLISECOND_NS INT64_C(1000000)

static inline void sleep_ms(int milliseconds) {
  struct timespec left = timespec_of_ns(milliseconds * MILLISECOND_NS);
  while (nanosleep(&left, &left) != 0) CHECK(errno == EINTR);
}

// Gives a thread that is about to block the time to do so; nothing depends on it having sufficed.
static inline void let_it_block(void) {
  sleep_ms(20);
}

static inline void write_all(int fd, const void* data, size_t bytes) {
  const char* next = data;
  while (bytes > 0) {
    const ssize_t written = write(fd, next, bytes);
    CHECK(written > 0);
    next += written;
    bytes -= (size_t)written;
  }
}

static inline void read_all(int fd, void* data, size_t bytes) {
  char* next = data;
  while (bytes > 0) {
    const ssize_t got = read(fd, next, bytes);
    CHECK(got > 0);
    next += got;
    bytes -= (size_t)got;
  }
}

#define CHECKSUM_START UINT64_C(14695981039346656037)

static inline uint64_t checksum(uint64_t sum, const void* data, size_t bytes) {
  const unsigned char* next = data;
  for (size_t i = 0; i < bytes; ++i) sum = (sum ^ next[i]) * UINT64_C(1099511628211);
  return sum;
}

// Fills the buffer with the bytes that belong at `position` of an endless known stream.
static inline void fill_stream(uint64_t position, void* data, size_t bytes) {
  unsigned char* next = data;
  for (size_t i = 0; i < bytes; ++i, ++position) {
    next[i] = (unsigned char)((position * UINT64_C(0x9E3779B97F4A7C15)) >> 56);
  }
}

// A socket of the type, bound to a free port on loopback.
static inline int bound_socket(int type, struct sockaddr_in* address) {
  const int fd = socket(AF_INET, type, 0);
  CHECK(fd >= 0);
  *address = (struct sockaddr_in){.sin_family = AF_INET};
  address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(bind(fd, (struct sockaddr*)address, sizeof *address) == 0);
  socklen_t bytes = sizeof *address;
  CHECK(getsockname(fd, (struct sockaddr*)address, &bytes) == 0);
  return fd;
}

static inline int tcp_listener(struct sockaddr_in* address, int backlog) {
  const int listener = bound_socket(SOCK_STREAM, address);
  CHECK(listen(listener, backlog) == 0);
  return listener;
}

static inline int tcp_connected(const struct sockaddr_in* address) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(fd >= 0);
  CHECK(connect(fd, (const struct sockaddr*)address, sizeof *address) == 0);
  return fd;
}

static inline void tcp_pair(int ends[2]) {
  struct sockaddr_in address;
  const int listener = tcp_listener(&address, 1);
  ends[0] = tcp_connected(&address);
  ends[1] = accept(listener, NULL, NULL);
  CHECK(ends[1] >= 0);
  close(listener);
}

static inline int udp_socket(struct sockaddr_in* address) {
  return bound_socket(SOCK_DGRAM, address);
}

// A nameless file that is gone with its descriptor.
static inline int temporary_file(void) {
  char path[] = "/tmp/weft-program-XXXXXX";
  const int fd = mkstemp(path);
  CHECK(fd >= 0);
  CHECK(unlink(path) == 0);
  return fd;
}

static inline void remove_current_directory(void) {
  char path[4096];
  CHECK(getcwd(path, sizeof path) != NULL);
  DIR* directory = opendir(".");
  CHECK(directory != NULL);
  for (struct dirent* entry; (entry = readdir(directory)) != NULL;) unlink(entry->d_name);
  closedir(directory);
  rmdir(path);
}

// Moves to a fresh directory that is removed, with its files, when the program exits.
static inline void enter_temporary_directory(void) {
  char path[] = "/tmp/weft-program-XXXXXX";
  CHECK(mkdtemp(path) != NULL);
  CHECK(chdir(path) == 0);
  CHECK(atexit(remove_current_directory) == 0);
}

static inline void ignore_signal(int number) {
  (void)number;
}

static inline void handle_signal(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  sigemptyset(&action.sa_mask);
  CHECK(sigaction(number, &action, NULL) == 0);
}
