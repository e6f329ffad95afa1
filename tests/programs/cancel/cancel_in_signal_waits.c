// SPDX-License-Identifier: Apache-2.0
// sigwait, sigwaitinfo, sigtimedwait and sigsuspend are cancellation points.

#include "support.h"

#include "cancelling.h"

static void in_sigwait(void) {
  sigset_t set = only(SIGUSR1);
  int number;
  sigwait(&set, &number);
}
static void in_sigwaitinfo(void) {
  sigset_t set = only(SIGUSR1);
  sigwaitinfo(&set, NULL);
}
static void in_sigtimedwait(void) {
  sigset_t set = only(SIGUSR1);
  sigtimedwait(&set, NULL, &(struct timespec){100000, 0});
}
static void in_sigsuspend(void) {
  sigset_t none;
  sigemptyset(&none);
  sigsuspend(&none);
}

int main(void) {
  sigset_t set = only(SIGUSR1);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  cancel_in("sigwait", in_sigwait);
  cancel_in("sigwaitinfo", in_sigwaitinfo);
  cancel_in("sigtimedwait", in_sigtimedwait);
  cancel_in("sigsuspend", in_sigsuspend);
  return 0;
}
