// SPDX-License-Identifier: Apache-2.0
// What the test programs share: say a line, insist on a result, start a thread, wait for a fact.
//
// CHECK and OK end the program with exit code 1 and a line that begins with "FAILED": the runner
// takes that for a failure wherever it happens, also in a native run.
#pragma once

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))

// Insists that a call returns 0, be its way to tell an error the returned number or -1 and errno.
#define OK(call) check_ok((call), __FILE__, __LINE__, #call)

// Waits until something is true, without a limit: what never becomes true is a hang, and the
// runner's to tell.
#define WAIT_FOR(condition) \
  do {                      \
    while (!(condition)) {  \
      sleep_ms(1);          \
    }                       \
  } while (0)

static inline const char* error_name(int error) {
  const char* name = error == 0 ? "OK" : strerrorname_np(error);
  return name != NULL ? name : "an unknown error";
}

__attribute__((noreturn)) static inline void check_failed(const char* file, int line,
                                                          const char* what) {
  int error = errno;
  dprintf(STDOUT_FILENO, "FAILED: %s:%d: %s (errno %s)\n", file, line, what, error_name(error));
  _exit(1);
}

static inline void check_ok(int result, const char* file, int line, const char* what) {
  if (result == 0) return;
  if (result != -1) errno = result;
  check_failed(file, line, what);
}

// Prints and flushes, so that a line is out before a fork or a death.
__attribute__((format(printf, 1, 2))) static inline void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  fflush(stdout);
}

// Prints from a signal handler.
static inline void write_text(const char* text) {
  int error = errno;
  CHECK(write(STDOUT_FILENO, text, strlen(text)) == (ssize_t)strlen(text));
  errno = error;
}

static inline pthread_t start(void* (*function)(void*), void* argument) {
  pthread_t thread;
  OK(pthread_create(&thread, NULL, function, argument));
  return thread;
}

static inline void* join(pthread_t thread) {
  void* result = NULL;
  OK(pthread_join(thread, &result));
  return result;
}

static inline void sleep_ms(long milliseconds) {
  struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  while (nanosleep(&left, &left) == -1 && errno == EINTR) {
  }
}

// The time on a clock so many milliseconds from now; a negative number is a time that has passed.
static inline struct timespec after_ms(clockid_t clock, long milliseconds) {
  struct timespec time;
  OK(clock_gettime(clock, &time));
  time.tv_sec += milliseconds / 1000;
  time.tv_nsec += milliseconds % 1000 * 1000000;
  if (time.tv_nsec < 0) {
    time.tv_nsec += 1000000000;
    --time.tv_sec;
  } else if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    ++time.tv_sec;
  }
  return time;
}

// Whether a clock has reached a time.
static inline int is_past(clockid_t clock, struct timespec time) {
  struct timespec now;
  OK(clock_gettime(clock, &now));
  return now.tv_sec > time.tv_sec || (now.tv_sec == time.tv_sec && now.tv_nsec >= time.tv_nsec);
}

static inline void on_signal(int number, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  OK(sigaction(number, &action, NULL));
}

// A set of one signal.
static inline sigset_t only(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return set;
}
