// SPDX-License-Identifier: Apache-2.0
// A terminal read in canonical mode waits for a whole line; the master sees what was written.
#include "../io_support.h"

#include <pty.h>
#include <termios.h>

static int master, slave;

static void* type_later(void* unused) {
  (void)unused;
  let_it_block();
  write_all(master, "half", 4);
  let_it_block();
  write_all(master, " line\nnext\n", 11);
  return NULL;
}

static void body(void) {
  char line[64];
  CHECK(openpty(&master, &slave, NULL, NULL, NULL) == 0);
  struct termios settings;
  CHECK(tcgetattr(slave, &settings) == 0);
  settings.c_lflag &= ~(tcflag_t)ECHO;
  settings.c_oflag &= ~(tcflag_t)OPOST;
  CHECK(tcsetattr(slave, TCSANOW, &settings) == 0);
  const pthread_t typist = start(type_later, NULL);
  show("first line", read(slave, line, sizeof line));
  printf("%.9s\n", line);
  show("second line", read(slave, line, sizeof line));
  finish(typist);
  write_all(slave, "out", 3);
  show("master", read(master, line, sizeof line));
  printf("terminal: %d\n", isatty(slave));
  close(slave);
  show("master after hang-up", read(master, line, sizeof line));
  close(master);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
