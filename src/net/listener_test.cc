// SPDX-License-Identifier: Apache-2.0
// Listening, and what is in the way of it.
#include "net/listener.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

namespace weft::net {
namespace {

bool connects(const Address& address) {
  const os::Descriptor client(::socket(address.family(), SOCK_STREAM, 0));
  return ::connect(client.get(), address.get(), address.bytes()) == 0;
}

TEST(ListenerTest, ThePortIsToldWhereTheKernelChoseIt) {
  const auto socket = listen_on(*Address::parse("127.0.0.1:0"));
  ASSERT_TRUE(socket);
  const auto address = address_of(*socket);
  ASSERT_TRUE(address);
  EXPECT_NE(address->port(), 0);
  EXPECT_TRUE(connects(*address));
}

TEST(ListenerTest, APortThatIsTakenIsAnErrorThatSaysSo) {
  const auto first = listen_on(*Address::parse("127.0.0.1:0"));
  const auto second = listen_on(*address_of(*first));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, EADDRINUSE);
  EXPECT_NE(second.error().message.find("taken"), std::string::npos);
}

TEST(ListenerTest, WhoIsAcceptedDoesNotBlockAndIsNotDelayed) {
  const auto listener = listen_on(*Address::parse("127.0.0.1:0"));
  ASSERT_TRUE(listener);
  EXPECT_FALSE(accept_connection(listener->get()));
  EXPECT_EQ(errno, EAGAIN);
  const auto address = address_of(*listener);
  const os::Descriptor client(::socket(AF_INET, SOCK_STREAM, 0));
  ASSERT_EQ(::connect(client.get(), address->get(), address->bytes()), 0);
  const auto accepted = accept_connection(listener->get());
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->address.text(), address_of(client)->text());
  const int socket = accepted->socket.get();
  EXPECT_NE(::fcntl(socket, F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(::fcntl(socket, F_GETFD) & FD_CLOEXEC, 0);
  int without_delay = 0;
  socklen_t bytes = sizeof(without_delay);
  ::getsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &without_delay, &bytes);
  EXPECT_NE(without_delay, 0);
}

std::string congestion_control_of(int socket) {
  char name[16] = {};
  socklen_t bytes = sizeof(name);
  ::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, &bytes);
  return name;
}

TEST(ListenerTest, OnlyWhoComesFromThisMachineIsNotPaced) {
  const auto listener = listen_on(*Address::parse("127.0.0.1:0"));
  ASSERT_TRUE(listener);
  const auto address = address_of(*listener);
  const os::Descriptor client(::socket(AF_INET, SOCK_STREAM, 0));
  ASSERT_EQ(::connect(client.get(), address->get(), address->bytes()), 0);
  const auto accepted = accept_connection(listener->get());
  ASSERT_TRUE(accepted);
  EXPECT_EQ(congestion_control_of(accepted->socket.get()), "reno");
  const auto for_all = listen_on(*Address::parse("0.0.0.0:0"));
  ASSERT_TRUE(for_all);
  const os::Descriptor untouched(::socket(AF_INET, SOCK_STREAM, 0));
  EXPECT_EQ(congestion_control_of(for_all->get()), congestion_control_of(untouched.get()));
}

TEST(ListenerTest, WhoWasLetInIsAcceptedAlthoughNobodyElseIs) {
  const auto listener = listen_on(*Address::parse("127.0.0.1:0"));
  ASSERT_TRUE(listener);
  const auto address = address_of(*listener);
  const os::Descriptor early(::socket(AF_INET, SOCK_STREAM, 0));
  ASSERT_EQ(::connect(early.get(), address->get(), address->bytes()), 0);
  take_no_handshakes(listener->get());
  const os::Descriptor late(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
  EXPECT_EQ(::connect(late.get(), address->get(), address->bytes()), -1);
  EXPECT_EQ(errno, EINPROGRESS);
  const os::Descriptor accepted(::accept(listener->get(), nullptr, nullptr));
  ASSERT_TRUE(accepted.valid());
  EXPECT_EQ(::accept(listener->get(), nullptr, nullptr), -1);
  EXPECT_EQ(errno, EAGAIN);
  char byte = 'x';
  EXPECT_EQ(::send(early.get(), &byte, 1, 0), 1);
  EXPECT_EQ(::recv(accepted.get(), &byte, 1, 0), 1);
  EXPECT_EQ(::send(accepted.get(), &byte, 1, 0), 1);
  EXPECT_EQ(::recv(early.get(), &byte, 1, 0), 1);
}

TEST(ListenerTest, SeveralShareAPortWhereAllWantTo) {
  const ListenOptions sharing{.reuse_port = true};
  const auto first = listen_on(*Address::parse("127.0.0.1:0"), sharing);
  ASSERT_TRUE(first);
  EXPECT_TRUE(listen_on(*address_of(*first), sharing));
}

TEST(ListenerTest, ASocketFileThatWasLeftBehindIsReplaced) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("weft-listener-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto address = Address::parse("unix:" + (folder / "socket").string());
  {
    const auto socket = listen_on(*address);
    ASSERT_TRUE(socket);
    EXPECT_FALSE(listen_on(*address)) << "somebody listens there";
  }
  const auto again = listen_on(*address);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(connects(*address));
  std::filesystem::remove_all(folder);
}

TEST(ListenerTest, AFileThatIsNoSocketIsLeftAlone) {
  const auto path =
      std::filesystem::temp_directory_path() / ("weft-no-socket-" + std::to_string(::getpid()));
  std::filesystem::create_directory(path);
  EXPECT_FALSE(listen_on(*Address::parse("unix:" + path.string())));
  EXPECT_TRUE(std::filesystem::exists(path));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace weft::net
