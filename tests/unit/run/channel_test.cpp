// Frames over a socket: whole ones arrive as sent, and nothing that a peer does can hang, crash or
// fill the receiver.
#include "framework/run/channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>
#include <filesystem>
#include <thread>

namespace allprove {
namespace {

using Bytes = std::vector<std::byte>;

struct Pair {
  Channel ours;
  Channel theirs;
};

Pair make_pair_of_channels() {
  int fds[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  return {Channel(UniqueFd(fds[0])), Channel(UniqueFd(fds[1]))};
}

Deadline soon() { return Deadline::after(Milliseconds(20'000)); }
Deadline at_once() { return Deadline::after(Milliseconds(0)); }

void write_raw(const Channel& channel, const Bytes& bytes) {
  ASSERT_EQ(write(channel.fd(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

Bytes raw_header(std::uint32_t length, int type) {
  Bytes bytes(5);
  std::memcpy(bytes.data(), &length, sizeof length);
  bytes[4] = static_cast<std::byte>(type);
  return bytes;
}

TEST(Channel, AMessageArrivesAsItWasSent) {
  auto [ours, theirs] = make_pair_of_channels();
  Hello hello;
  hello.token = "secret";
  ASSERT_TRUE(ours.send(MessageType::hello, hello, soon()));
  const auto frame = theirs.receive_before(soon());
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->type, MessageType::hello);
  const auto back = from_bytes<Hello>(frame->payload);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->token, "secret");
  EXPECT_EQ(back->version, kProtocolVersion);
}

TEST(Channel, ManyMessagesArriveInOrderThoughTheyWereReadAtOnce) {
  auto [ours, theirs] = make_pair_of_channels();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(ours.send(MessageType::batch, Bytes(static_cast<std::size_t>(i)), soon()));
  }
  for (int i = 0; i < 100; ++i) {
    const auto frame = theirs.receive();
    ASSERT_TRUE(frame);
    ASSERT_TRUE(*frame);
    EXPECT_EQ((*frame)->payload.size(), static_cast<std::size_t>(i));
  }
  const auto none = theirs.receive();
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
}

TEST(Channel, AMessageLargerThanTheSocketHoldsArrivesWhole) {
  auto [ours, theirs] = make_pair_of_channels();
  Bytes large(std::size_t{5} << 20);
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<std::byte>(i * 7 % 251);
  std::thread sender(
      [&ours = ours, &large] { EXPECT_TRUE(ours.send(MessageType::results, large, soon())); });
  const auto frame = theirs.receive_before(soon());
  sender.join();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->payload, large);
}

TEST(Channel, AFrameThatComesByteByByteIsWholeOnlyAtItsEnd) {
  auto [ours, theirs] = make_pair_of_channels();
  auto bytes = raw_header(2, static_cast<int>(MessageType::stop));
  bytes.insert(bytes.end(), {std::byte{1}, std::byte{2}});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto before = theirs.receive();
    ASSERT_TRUE(before);
    EXPECT_FALSE(*before);
    write_raw(ours, {bytes[i]});
  }
  const auto frame = theirs.receive();
  ASSERT_TRUE(frame);
  ASSERT_TRUE(*frame);
  EXPECT_EQ((*frame)->type, MessageType::stop);
}

TEST(Channel, AnUnknownTypeIsAnErrorForGood) {
  auto [ours, theirs] = make_pair_of_channels();
  write_raw(ours, raw_header(0, 200));
  EXPECT_FALSE(theirs.receive());
  ASSERT_TRUE(ours.send(MessageType::stop, Bytes(), soon()));
  EXPECT_FALSE(theirs.receive());
}

TEST(Channel, ALengthOverTheBoundIsRefusedBeforeItIsStored) {
  auto [ours, theirs] = make_pair_of_channels();
  write_raw(ours, raw_header(101, 0));
  EXPECT_FALSE(theirs.receive(100));

  auto [others, receiver] = make_pair_of_channels();
  write_raw(others, raw_header(0xffffffffu, 0));
  EXPECT_FALSE(receiver.receive());
}

TEST(Channel, AMessageOfExactlyTheBoundIsTaken) {
  auto [ours, theirs] = make_pair_of_channels();
  ASSERT_TRUE(ours.send(MessageType::hello, Bytes(100), soon()));
  const auto frame = theirs.receive(100);
  ASSERT_TRUE(frame);
  EXPECT_TRUE(*frame);
}

TEST(Channel, APeerThatClosesMidwayIsAnError) {
  auto [ours, theirs] = make_pair_of_channels();
  write_raw(ours, raw_header(50, 0));
  write_raw(ours, Bytes(10));
  ours.close();
  const auto frame = theirs.receive_before(soon());
  ASSERT_FALSE(frame);
  EXPECT_NE(frame.error().message.find("closed"), std::string::npos);
}

TEST(Channel, WhatCameBeforeThePeersEndIsStillReceived) {
  auto [ours, theirs] = make_pair_of_channels();
  ASSERT_TRUE(ours.send(MessageType::failure, Bytes(3), soon()));
  ours.close();
  EXPECT_TRUE(theirs.receive_before(soon()));
  EXPECT_FALSE(theirs.receive_before(soon()));
}

TEST(Channel, SendingToAPeerThatHasGoneIsAnErrorAndNoSignal) {
  auto [ours, theirs] = make_pair_of_channels();
  theirs.close();
  EXPECT_FALSE(ours.send(MessageType::stop, Bytes(), soon()));
}

TEST(Channel, APeerThatDoesNotReadMakesSendFailAtItsDeadline) {
  auto [ours, theirs] = make_pair_of_channels();
  const Bytes large(std::size_t{8} << 20);
  EXPECT_FALSE(ours.send(MessageType::batch, large, at_once()));
  // Nothing may follow half a frame, even when there is room again.
  Bytes drain(std::size_t{1} << 20);
  while (recv(theirs.fd(), drain.data(), drain.size(), MSG_DONTWAIT) > 0) {
  }
  EXPECT_FALSE(ours.send(MessageType::stop, Bytes(), at_once()));
}

TEST(Channel, WaitingForAMessageEndsAtItsDeadline) {
  auto [ours, theirs] = make_pair_of_channels();
  EXPECT_FALSE(theirs.receive_before(Deadline::after(Milliseconds(10))));
}

TEST(Channel, DescriptorsTravelWithAMessage) {
  auto [ours, theirs] = make_pair_of_channels();
  int pipe_ends[2];
  ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
  const UniqueFd reading(pipe_ends[0]);
  UniqueFd writing(pipe_ends[1]);
  const int sent[] = {writing.get()};
  ASSERT_TRUE(ours.send(MessageType::welcome, Bytes(1), soon(), sent));
  writing.reset();
  ASSERT_TRUE(theirs.receive_before(soon()));
  auto received = theirs.take_descriptors();
  ASSERT_EQ(received.size(), 1u);
  EXPECT_TRUE(fcntl(received[0].get(), F_GETFD) & FD_CLOEXEC);
  ASSERT_EQ(write(received[0].get(), "x", 1), 1);
  char letter = 0;
  ASSERT_EQ(read(reading.get(), &letter, 1), 1);
  EXPECT_EQ(letter, 'x');
}

TEST(Channel, APeerThatPilesUpDescriptorsIsRefused) {
  auto [ours, theirs] = make_pair_of_channels();
  const int eight[] = {0, 0, 0, 0, 0, 0, 0, 0};
  ASSERT_TRUE(ours.send(MessageType::hello, Bytes(1), soon(), eight));
  EXPECT_TRUE(theirs.receive_before(soon()));
  ASSERT_TRUE(ours.send(MessageType::hello, Bytes(1), soon(), eight));
  EXPECT_TRUE(theirs.receive_before(soon()));  // the message itself came whole
  const auto next = theirs.receive_before(soon());
  ASSERT_FALSE(next);
  EXPECT_NE(next.error().message.find("descriptors"), std::string::npos);
}

TEST(Channel, AConnectionToAListenerCarriesMessagesBothWays) {
  char folder[] = "/tmp/allprove-channel-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const auto path = std::string(folder) + "/socket";
  const auto listener = listen_at(path);
  ASSERT_TRUE(listener);
  auto connected = connect_to(path);
  ASSERT_TRUE(connected);
  UniqueFd accepted(accept4(listener->get(), nullptr, nullptr, SOCK_CLOEXEC));
  ASSERT_TRUE(accepted);
  Channel client(std::move(*connected));
  Channel server(std::move(accepted));
  ASSERT_TRUE(client.send(MessageType::hello, Bytes(1), soon()));
  EXPECT_TRUE(server.receive_before(soon()));
  ASSERT_TRUE(server.send(MessageType::welcome, Bytes(1), soon()));
  EXPECT_TRUE(client.receive_before(soon()));
  std::filesystem::remove_all(folder);
}

TEST(Channel, APathThatIsTooLongOrLeadsNowhereIsAnError) {
  EXPECT_FALSE(listen_at(std::string(200, 'x')));
  EXPECT_FALSE(connect_to(std::string(200, 'x')));
  EXPECT_FALSE(connect_to(""));
  EXPECT_FALSE(connect_to("/nonexistent/socket"));
}

}  // namespace
}  // namespace allprove
