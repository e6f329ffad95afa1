// SPDX-License-Identifier: Apache-2.0
// Connections by TLS against OpenSSL's client, and certificates that are none.
#include "net/tls.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "os/file.h"

namespace weft::net {
namespace {

class TlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("weft-tls-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    make("server");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // NAME.crt and NAME.key: a certificate that vouches for itself.
  void make(const std::string& name) const {
    EVP_PKEY* const key = EVP_EC_gen("P-256");
    X509* const certificate = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_sign(certificate, key, EVP_sha256());
    std::FILE* file = std::fopen(path(name + ".crt").c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
    file = std::fopen(path(name + ".key").c_str(), "w");
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }

  std::filesystem::path folder_;
};

// Until it is done, or fails: the other side is a thread.
template <class Call>
TlsOutcome insist(Call call) {
  for (;;) {
    const TlsOutcome outcome = call();
    if (outcome != TlsOutcome::wants_read && outcome != TlsOutcome::wants_write) return outcome;
    std::this_thread::yield();
  }
}

struct Ends {
  Ends() {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, numbers), 0);
    ::fcntl(numbers[0], F_SETFL, O_NONBLOCK);
  }
  ~Ends() {
    ::close(numbers[0]);
    ::close(numbers[1]);
  }
  int numbers[2];
};

TEST_F(TlsTest, WhatIsSentArrivesAndTheEndIsSeen) {
  const auto context = TlsContext::load(path("server.crt"), path("server.key"));
  ASSERT_TRUE(context) << context.error().message;
  const Ends ends;
  std::string protocol;
  std::thread client([&] {
    SSL_CTX* const client_context = SSL_CTX_new(TLS_client_method());
    SSL* const ssl = SSL_new(client_context);
    SSL_set_alpn_protos(ssl, reinterpret_cast<const unsigned char*>("\x02h2\x08http/1.1"), 12);
    SSL_set_fd(ssl, ends.numbers[1]);
    EXPECT_EQ(SSL_connect(ssl), 1);
    const unsigned char* chosen = nullptr;
    unsigned chosen_bytes = 0;
    SSL_get0_alpn_selected(ssl, &chosen, &chosen_bytes);
    protocol.assign(reinterpret_cast<const char*>(chosen), chosen_bytes);
    EXPECT_EQ(SSL_write(ssl, "ping", 4), 4);
    char answer[8] = "";
    EXPECT_EQ(SSL_read(ssl, answer, sizeof(answer)), 4);
    EXPECT_STREQ(answer, "pong");
    SSL_shutdown(ssl);
    SSL_free(ssl);
    SSL_CTX_free(client_context);
  });
  TlsConnection connection(**context, ends.numbers[0]);
  EXPECT_EQ(insist([&] { return connection.handshake(); }), TlsOutcome::done);
  char text[8] = "";
  std::size_t moved = 0;
  EXPECT_EQ(insist([&] { return connection.read(text, sizeof(text), moved); }), TlsOutcome::done);
  EXPECT_EQ(std::string(text, moved), "ping");
  EXPECT_EQ(insist([&] { return connection.write("pong", 4, moved); }), TlsOutcome::done);
  EXPECT_EQ(insist([&] { return connection.read(text, sizeof(text), moved); }), TlsOutcome::closed);
  connection.shut_down();
  client.join();
  EXPECT_EQ(protocol, "http/1.1");
}

TEST_F(TlsTest, WhoDoesNotSpeakItFails) {
  const auto context = TlsContext::load(path("server.crt"), path("server.key"));
  const Ends ends;
  ASSERT_EQ(::write(ends.numbers[1], "GET / HTTP/1.1\r\n\r\n", 18), 18);
  TlsConnection connection(**context, ends.numbers[0]);
  EXPECT_EQ(connection.handshake(), TlsOutcome::failed);
  connection.shut_down();
}

TEST_F(TlsTest, WhatDoesNotFitIsNamed) {
  make("other");
  std::ofstream(path("text")) << "no certificate\n";
  const auto message = [&](const std::string& certificate, const std::string& key) {
    const auto context = TlsContext::load(path(certificate), path(key));
    return context ? std::string{} : context.error().message;
  };
  EXPECT_NE(message("server.crt", "other.key").find("other.key"), std::string::npos);
  EXPECT_NE(message("server.crt", "other.key").find("mismatch"), std::string::npos);
  EXPECT_NE(message("missing.crt", "server.key").find("missing.crt"), std::string::npos);
  EXPECT_NE(message("text", "server.key").find("certificate"), std::string::npos);
  EXPECT_NE(message("server.crt", "missing.key").find("missing.key"), std::string::npos);
}

}  // namespace
}  // namespace weft::net
