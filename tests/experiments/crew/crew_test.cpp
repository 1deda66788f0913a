#include "experiments/crew/crew.hpp"

#include <array>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "experiments/crew/bytes.hpp"
#include "experiments/crew/serve.hpp"

namespace spillway::crew {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A worker that has the launcher's socket to itself.
class Pair {
 public:
  explicit Pair(std::function<std::string(const std::string&)> answer, const std::string& identity = "this run") {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0);
    worker_ = std::thread([this, answer = std::move(answer), identity] {
      serve(ends_[1], identity, answer);
      ::shutdown(ends_[1], SHUT_RDWR);
    });
    crew_ = std::make_unique<Crew>(ends_[0], 1, "this run", [](const std::string&) {});
  }
  ~Pair() {
    crew_.reset();
    worker_.join();
    ::close(ends_[0]);
    ::close(ends_[1]);
  }

  Crew& crew() { return *crew_; }

 private:
  std::array<int, 2> ends_{};
  std::thread worker_;
  std::unique_ptr<Crew> crew_;
};

std::string why_unanswered(Crew& crew, const Crew::Stop& stop = {}) {
  const std::vector<std::string> requests = {"one"};
  try {
    crew.ask(requests, stop);
  } catch (const Unanswered& error) {
    return error.what();
  }
  return "";
}

TEST(Crew, AnswersComeInTheOrderOfTheRequestsOfEachThread) {
  Pair pair([](const std::string& request) { return request + "!"; });
  std::vector<std::thread> threads;
  std::array<std::vector<std::string>, 4> answers;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    threads.emplace_back([&, i] {
      const std::string name(1, static_cast<char>('a' + i));
      const std::vector<std::string> requests = {name + "1", name + "2", name + std::string(1'000'000, '3')};
      answers[i] = pair.crew().ask(requests, {});
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_THAT(answers[2], ElementsAre("c1!", "c2!", "c" + std::string(1'000'000, '3') + "!"));
}

TEST(Crew, WhatAnEvaluationThrowsComesOutWhereItWasAskedFor) {
  Pair pair([](const std::string& request) {
    if (request == "bad") throw std::runtime_error("this one cannot be done");
    return request;
  });
  const std::vector<std::string> bad = {"bad"}, good = {"good"};
  try {
    pair.crew().ask(bad, {});
    ADD_FAILURE();
  } catch (const Unanswered&) {
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "this one cannot be done");
  }
  EXPECT_THAT(pair.crew().ask(good, {}), ElementsAre("good"));
}

TEST(Crew, AWorkerOfAnotherRunIsNotAsked) {
  Pair pair([](const std::string& request) { return request; }, "another run");
  EXPECT_THAT(why_unanswered(pair.crew()), HasSubstr("worker 0 has another version of the program or of the files"));
}

TEST(Crew, AStopDoesNotWaitForTheWorkers) {
  std::promise<void> over;
  std::atomic<bool> begun = false;
  {
    Pair pair([&](const std::string& request) {
      begun = true;
      over.get_future().wait();
      return request;
    });
    EXPECT_EQ(why_unanswered(pair.crew(), [&] { return begun.load(); }), "stopped");
    over.set_value();
  }
}

TEST(Crew, WithoutItsLauncherNothingIsAnswered) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  Crew crew(ends[0], 2, "this run", [](const std::string&) {});
  ::close(ends[1]);
  EXPECT_EQ(why_unanswered(crew), "the launcher has ended");
}

TEST(Bytes, AreReadAsTheyWereWritten) {
  Writer write;
  write(std::vector<std::vector<int>>{{1, 2}, {}});
  write(std::optional<std::string>("a\0b"));
  write(std::optional<double>());
  std::vector<std::vector<int>> numbers;
  std::optional<std::string> text;
  std::optional<double> nothing = 1;
  Reader read(write.bytes());
  read(numbers);
  read(text);
  read(nothing);
  EXPECT_THAT(numbers, ElementsAre(ElementsAre(1, 2), ElementsAre()));
  EXPECT_EQ(text, "a\0b");
  EXPECT_FALSE(nothing);
  EXPECT_THROW(read(numbers), std::runtime_error);
}

}  // namespace
}  // namespace spillway::crew
