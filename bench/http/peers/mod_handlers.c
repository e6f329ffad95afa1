// SPDX-License-Identifier: Apache-2.0
// The handlers of `weft serve --test-handlers` as a module of Apache httpd.
#include <httpd.h>

#include <http_config.h>
#include <http_protocol.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long long own_cpu_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void compute_for(long microseconds) {
  const long long end = own_cpu_nanoseconds() + microseconds * 1000LL;
  while (own_cpu_nanoseconds() < end) {
    for (int i = 0; i < 256; ++i) __asm__ volatile("");
  }
}

static void sleep_for(long milliseconds) {
  const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  nanosleep(&time, NULL);
}

// The number behind a prefix of the path, or -1.
static long number_behind(const char* path, const char* prefix) {
  const size_t length = strlen(prefix);
  return strncmp(path, prefix, length) == 0 ? atol(path + length) : -1;
}

static int handle(request_rec* request) {
  if (request->handler == NULL || strcmp(request->handler, "weft-handlers") != 0) return DECLINED;
  const char* text = "hello\n";
  long number = number_behind(request->uri, "/_/sleep/");
  if (number >= 0) {
    sleep_for(number);
    text = "slept\n";
  } else if ((number = number_behind(request->uri, "/_/cpu/")) >= 0) {
    compute_for(number);
    text = "computed\n";
  }
  ap_set_content_type(request, "text/plain; charset=utf-8");
  ap_set_content_length(request, (apr_off_t)strlen(text));
  ap_rputs(text, request);
  return OK;
}

static void register_hooks(apr_pool_t* pool) {
  (void)pool;
  ap_hook_handler(handle, NULL, NULL, APR_HOOK_MIDDLE);
}

module AP_MODULE_DECLARE_DATA handlers_module = {
    STANDARD20_MODULE_STUFF, NULL, NULL, NULL, NULL, NULL, register_hooks};
