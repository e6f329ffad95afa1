// SPDX-License-Identifier: Apache-2.0
// What systemd would hand over and hear.
#include "net/service_manager.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "net/listener.h"

namespace weft::net {
namespace {

TEST(ServiceManagerTest, NobodyIsToldWhereThereIsNobody) {
  ::unsetenv("NOTIFY_SOCKET");
  EXPECT_FALSE(notify_manager("READY=1"));
}

TEST(ServiceManagerTest, TheManagerHearsAllLines) {
  const std::string name = "@weft-manager-" + std::to_string(::getpid());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path, name.size());
  address.sun_path[0] = '\0';
  const os::Descriptor manager(::socket(AF_UNIX, SOCK_DGRAM, 0));
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  ASSERT_EQ(::bind(manager.get(), reinterpret_cast<sockaddr*>(&address), bytes), 0);
  ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
  EXPECT_TRUE(notify_manager("READY=1\nSTATUS=well"));
  char text[64] = "";
  EXPECT_EQ(::recv(manager.get(), text, sizeof(text), MSG_DONTWAIT), 19);
  EXPECT_STREQ(text, "READY=1\nSTATUS=well");
  ::unsetenv("NOTIFY_SOCKET");
}

TEST(ServiceManagerTest, SocketsForAnotherProcessAreNotOurs) {
  ::setenv("LISTEN_PID", "1", 1);
  ::setenv("LISTEN_FDS", "2", 1);
  const auto sockets = take_inherited_sockets();
  ASSERT_TRUE(sockets);
  EXPECT_TRUE(sockets->empty());
  EXPECT_EQ(::getenv("LISTEN_FDS"), nullptr);
}

// In a child, whose descriptor 3 can be what it must be.
int exit_code_with(int handed_over) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (handed_over != 3) ::dup2(handed_over, 3);
    ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    ::setenv("LISTEN_FDS", "1", 1);
    const auto sockets = take_inherited_sockets();
    const bool taken = sockets && sockets->size() == 1 && sockets->front().get() == 3 &&
                       (::fcntl(3, F_GETFL) & O_NONBLOCK) != 0 &&
                       (::fcntl(3, F_GETFD) & FD_CLOEXEC) != 0;
    ::_exit(taken ? 0 : sockets ? 1 : 2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST(ServiceManagerTest, ASocketThatListensIsTaken) {
  const auto socket = listen_on(*Address::parse("127.0.0.1:0"));
  ASSERT_TRUE(socket);
  EXPECT_EQ(exit_code_with(socket->get()), 0);
}

TEST(ServiceManagerTest, WhatDoesNotListenIsAnError) {
  const os::Descriptor file(::open("/dev/null", O_RDONLY));
  EXPECT_EQ(exit_code_with(file.get()), 2);
}

}  // namespace
}  // namespace weft::net
