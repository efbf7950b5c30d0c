// The board tells where a rank is, also to a process that the rank does not know of.
#include "framework/run/position_board.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace allprove {
namespace {

PositionBoard new_board(int ranks) {
  auto board = PositionBoard::create(ranks);
  EXPECT_TRUE(board);
  return std::move(*board);
}

TEST(PositionBoard, ANewBoardShowsRanksBeforeTheirFirstOperation) {
  const auto board = new_board(2);
  const auto position = board.read(1, 1, 2);
  EXPECT_EQ(position.phase, Phase::idle);
  EXPECT_EQ(position.operation, -1);
  EXPECT_EQ(position.entered, (std::vector<int>{0, 0}));
}

TEST(PositionBoard, ACallIsShownWithItsGroupAndItsNumberOnThatGroup) {
  auto board = new_board(3);
  board.begin_case(1, 7);
  board.enter_collective(1, 0, 1);
  board.leave(1);
  board.enter_collective(1, 4, 1);
  const auto position = board.read(1, 7, 2);
  EXPECT_EQ(position.phase, Phase::called);
  EXPECT_EQ(position.operation, 4);
  EXPECT_EQ(position.group, 1);
  EXPECT_EQ(position.call_number, 2);
  EXPECT_EQ(position.entered, (std::vector<int>{0, 2}));
  EXPECT_EQ(board.entered(1, 1), 2);
  EXPECT_EQ(board.read(2, 7, 2).entered, (std::vector<int>{0, 0}));
}

TEST(PositionBoard, AWaitShowsTheCallThatItWaitsForAndCountsNothing) {
  auto board = new_board(1);
  board.begin_case(0, 1);
  board.enter_collective(0, 0, 0);
  board.enter_collective(0, 1, 0);
  board.enter_wait(0, 2, 0, 1);
  const auto position = board.read(0, 1, 1);
  EXPECT_EQ(position.operation, 2);
  EXPECT_EQ(position.call_number, 1);
  EXPECT_EQ(position.entered, (std::vector<int>{2}));
}

TEST(PositionBoard, BetweenOperationsTheLastOneIsShownAndNoGroup) {
  auto board = new_board(1);
  board.begin_case(0, 1);
  board.enter_collective(0, 3, 0);
  board.leave(0);
  const auto position = board.read(0, 1, 1);
  EXPECT_EQ(position.phase, Phase::idle);
  EXPECT_EQ(position.operation, 3);
  EXPECT_EQ(position.group, -1);
}

TEST(PositionBoard, ANewCaseForgetsTheOneBefore) {
  auto board = new_board(1);
  board.begin_case(0, 1);
  board.enter_collective(0, 0, 0);
  board.finish_case(0);
  EXPECT_EQ(board.read(0, 1, 1).phase, Phase::finished);
  board.begin_case(0, 2);
  const auto position = board.read(0, 2, 1);
  EXPECT_EQ(position.phase, Phase::idle);
  EXPECT_EQ(position.operation, -1);
  EXPECT_EQ(position.entered, (std::vector<int>{0}));
}

TEST(PositionBoard, OfSeveralThreadsTheOneInsideTheLibraryIsShown) {
  auto board = new_board(2);
  board.begin_case(1, 1, 3);
  board.enter_collective(1, 0, 0, 0);
  board.leave(1, 0);
  board.enter_collective(1, 4, 1, 2);
  const auto inside = board.read(1, 1, 2);
  EXPECT_EQ(inside.phase, Phase::called);
  EXPECT_EQ(inside.operation, 4);
  EXPECT_EQ(inside.group, 1);
  EXPECT_EQ(inside.entered, (std::vector<int>{1, 1}));
  board.leave(1, 2);
  board.finish_case(1, 2);
  board.finish_case(1, 0);
  EXPECT_EQ(board.read(1, 1, 2).phase, Phase::idle) << "thread 1 has not finished";
  board.finish_case(1, 1);
  EXPECT_EQ(board.read(1, 1, 2).phase, Phase::finished);
  board.begin_case(1, 2);
  EXPECT_EQ(board.read(1, 2, 2).entered, (std::vector<int>{0, 0}));
  board.finish_case(1);
  EXPECT_EQ(board.read(1, 2, 2).phase, Phase::finished);
}

TEST(PositionBoard, ARankAtALaterCaseHasFinishedAndEnteredEverything) {
  auto board = new_board(1);
  board.begin_case(0, 5);
  const auto position = board.read(0, 4, 1);
  EXPECT_EQ(position.phase, Phase::finished);
  EXPECT_EQ(position.entered, (std::vector<int>{kEnteredAll}));
}

TEST(PositionBoard, ARankAtAnEarlierCaseHasNotBegun) {
  auto board = new_board(1);
  board.begin_case(0, 5);
  board.enter_collective(0, 2, 0);
  const auto position = board.read(0, 6, 1);
  EXPECT_EQ(position.phase, Phase::idle);
  EXPECT_EQ(position.operation, -1);
}

TEST(PositionBoard, WhatADeadProcessWroteLastIsStillThere) {
  const auto board = new_board(2);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto mine = PositionBoard::open(board.fd(), 2);
    if (!mine) _exit(1);
    mine->begin_case(1, 1);
    mine->enter_collective(1, 9, 0);
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(board.read(1, 1, 1).operation, 9);
  EXPECT_EQ(board.read(1, 1, 1).phase, Phase::called);
}

TEST(PositionBoard, ABoardOfAnotherSizeIsRefused) {
  const auto board = new_board(2);
  EXPECT_FALSE(PositionBoard::open(board.fd(), 3));
}

TEST(PositionBoard, ItsSizeCannotBeChangedUnderTheReader) {
  const auto board = new_board(2);
  EXPECT_NE(ftruncate(board.fd(), 0), 0);
}

}  // namespace
}  // namespace allprove
