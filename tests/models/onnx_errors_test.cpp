// Files that are not models, or models that are not read: one clear error each.
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "onnx_builder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "models/load.hpp"
#include "models/onnx_reader.hpp"
#include "tests/paths/paths.hpp"

namespace spillway::models {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string refusal_of(const std::string& bytes) {
  try {
    read_onnx_bytes(bytes, "folder/model.onnx", {.dimensions = {}, .weights = true});
  } catch (const OnnxError& error) {
    return error.what();
  }
  return "no error";
}

OnnxBuilder relu() {
  return OnnxBuilder().input("x", {1, 4, 6, 6}).output("y").node("Relu", {"x"}, "y");
}

OnnxBuilder convolution() {
  return OnnxBuilder().input("x", {1, 4, 6, 6}).output("y").ramp("w", {2, 4, 3, 3}).node("Conv", {"x", "w"}, "y");
}

struct Case {
  const char* name;
  std::function<std::string()> bytes;
  std::vector<std::string> message;
};

template <typename Change>
std::function<std::string()> changed(OnnxBuilder (*start)(), Change change) {
  return [=] {
    OnnxBuilder builder = start();
    change(builder);
    return builder.bytes();
  };
}

const Case cases[] = {
    {"Empty", [] { return std::string(); }, {"the file is empty; expected an ONNX model"}},
    {"Text", [] { return std::string("# A readme\n\nHello.\n"); }, {"the file is text"}},
    {"Truncated", [] { return convolution().bytes().substr(0, 300); }, {"damaged, cut short"}},
    {"NoGraph", changed(relu, [](OnnxBuilder& b) { b.model.clear_graph(); }), {"has no graph"}},
    {"Opset18",
     changed(relu, [](OnnxBuilder& b) { b.model.mutable_opset_import(0)->set_version(18); }),
     {"operator set 18; expected 1 to 17"}},
    {"Ir9", changed(relu, [](OnnxBuilder& b) { b.model.set_ir_version(9); }), {"IR version 9; expected 3 to 8"}},
    {"BothVersions",
     changed(relu,
             [](OnnxBuilder& b) {
               b.model.set_ir_version(9);
               b.model.mutable_opset_import(0)->set_version(18);
             }),
     {"IR version 9", "operator set 18"}},
    {"NoOperatorSet", changed(relu, [](OnnxBuilder& b) { b.model.clear_opset_import(); }), {"imports 0 default"}},
    {"EveryUnsupportedNode",
     changed(relu,
             [](OnnxBuilder& b) {
               b.node("Einsum", {"x"}, "a").node("Relu", {"x"}, "b").node("Resize", {"x"}, "c");
               b.node("Fancy", {"x"}, "d").last().set_domain("com.example");
             }),
     {"node 'a' (Einsum): this operator is not supported\n", "node 'c' (Resize): this",
      "node 'd' (Fancy): this operator of the domain com.example"}},
    {"MissingExternalData",
     changed(convolution,
             [](OnnxBuilder& b) {
               onnx::TensorProto& tensor = b.last_initializer();
               tensor.clear_raw_data();
               tensor.set_data_location(onnx::TensorProto::EXTERNAL);
               tensor.add_external_data()->set_key("location");
               tensor.mutable_external_data(0)->set_value("weights.bin");
             }),
     {"initializer 'w'", "there is no file folder/weights.bin"}},
    {"ExternalDataElsewhere",
     changed(convolution,
             [](OnnxBuilder& b) {
               onnx::TensorProto& tensor = b.last_initializer();
               tensor.clear_raw_data();
               tensor.set_data_location(onnx::TensorProto::EXTERNAL);
               tensor.add_external_data()->set_key("location");
               tensor.mutable_external_data(0)->set_value("../../etc/passwd");
             }),
     {"external data at \"../../etc/passwd\"; expected a file in the model's folder"}},
    {"ThreeGigabytes",
     changed(convolution,
             [](OnnxBuilder& b) {
               b.last_initializer().set_dims(0, 750'000'000);
               b.last_initializer().set_dims(1, 1);
               b.last_initializer().set_dims(2, 1);
               b.last_initializer().set_dims(3, 1);
             }),
     {"initializer 'w': a tensor of 750000000x1x1x1 float32 claims more than 2147483648 bytes"}},
    {"ThreeGigabytesOfOneValue",
     [] {
       OnnxBuilder b;
       b.input("x", {1, 4, 6, 6}).output("y").integers("s", {750'000'000, 4, 1, 1}).node("ConstantOfShape", {"s"}, "w");
       return b.node("Conv", {"x", "w"}, "y").bytes();
     },
     {"node 'w' (ConstantOfShape): a tensor of 750000000x4x1x1 claims more than 2147483648 bytes"}},
    {"LessDataThanClaimed",
     changed(convolution, [](OnnxBuilder& b) { b.last_initializer().set_dims(0, 3); }),
     {"a tensor of 3x4x3x3 float32 with 288 bytes; expected 432"}},
    {"NegativeExtent",
     changed(convolution, [](OnnxBuilder& b) { b.last_initializer().set_dims(0, -2); }),
     {"a tensor of -2x4x3x3; expected extents of 0 or more"}},
    {"NegativeInput",
     [] {
       return OnnxBuilder().input("x", {1, -4, 6, 6}).output("y").node("Relu", {"x"}, "y").bytes();
     },
     {"input 'x' has an extent of -4 along axis 1"}},
    {"Cycle",
     [] {
       OnnxBuilder b;
       b.input("x", {1, 4, 6, 6}).output("b").node("Add", {"x", "b"}, "a").node("Relu", {"a"}, "b");
       return b.bytes();
     },
     {"a cycle of nodes: '"}},
    {"OutOfOrder",
     [] {
       OnnxBuilder b;
       b.input("x", {1, 4, 6, 6}).output("b").node("Relu", {"a"}, "b").node("Relu", {"x"}, "a");
       return b.bytes();
     },
     {"topologically sorted"}},
    {"ValueMadeTwice",
     changed(relu, [](OnnxBuilder& b) { b.node("Tanh", {"x"}, "y").last().set_name("z"); }),
     {"node 'z' (Tanh): its output 'y' is also the output of node 'y'"}},
    {"InputTwice",
     changed(relu,
             [](OnnxBuilder& b) {
               b.input("x", {1, 4, 6, 6});
             }),
     {"the input 'x' is there twice"}},
    {"Dangling",
     changed(relu,
             [](OnnxBuilder& b) {
               b.node("Add", {"y", "lost"}, "z");
             }),
     {"node 'z' (Add): reads 'lost', which no node, input or initializer gives"}},
    {"DanglingOutput", changed(relu, [](OnnxBuilder& b) { b.output("lost"); }), {"no node gives the output 'lost'"}},
    {"WrongRank",
     [] {
       return OnnxBuilder()
           .input("x", {1, 4, 6})
           .output("y")
           .ramp("w", {2, 4, 3, 3})
           .node("Conv", {"x", "w"}, "y")
           .bytes();
     },
     {"node 'y' (Conv): a window over 1 axes, of a map of 1x4x6"}},
    {"OneDimensional",
     [] {
       return OnnxBuilder()
           .input("x", {1, 4, 6})
           .output("y")
           .ramp("w", {2, 4, 3})
           .node("Conv", {"x", "w"}, "y")
           .bytes();
     },
     {"node 'y' (Conv): a window over 1 axes"}},
    {"DeclaredShapeThatIsWrong",
     changed(relu,
             [](OnnxBuilder& b) {
               auto& shape =
                   *b.model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
               shape.clear_dim();
               for (const int extent : {1, 4, 6, 7})
                 shape.add_dim()->set_dim_value(extent);
             }),
     {"value 'y' is 1x4x6x6, but 1x4x6x7 by the file"}},
    {"OutputThatIsAnInput",
     changed(relu, [](OnnxBuilder& b) { b.output("x"); }),
     {"output 'x' is an input; expected the result of a node"}},
    {"DeclaredShapeOfAnInputThatIsWrong",
     changed(convolution,
             [](OnnxBuilder& b) {
               onnx::ValueInfoProto& value = *b.model.mutable_graph()->add_value_info();
               value = b.model.graph().output(0);
               value.set_name("x");
               value.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()->RemoveLast();
             }),
     {"value 'x' is 1x4x6x6, but ?x?x? by the file"}},
    {"FiltersThatDoNotFit",
     [] {
       return OnnxBuilder()
           .input("x", {1, 5, 6, 6})
           .output("y")
           .ramp("w", {2, 4, 3, 3})
           .node("Conv", {"x", "w"}, "y")
           .bytes();
     },
     {"filters of 2x4x3x3 in 1 group(s) over 5 channels; expected 5 channels in a filter"}},
    {"ComputedFilters",
     [] {
       return OnnxBuilder()
           .input("x", {1, 4, 6, 6})
           .input("w", {1, 4, 3, 3})
           .output("y")
           .node("Conv", {"x", "w"}, "y")
           .bytes();
     },
     {"node 'y' (Conv): input 1 'w' is computed; expected a constant"}},
    {"UnknownAttribute", changed(relu, [](OnnxBuilder& b) { b.set("secret", 1); }), {"secret"}},
    {"GraphAttribute",
     changed(relu,
             [](OnnxBuilder& b) {
               b.set("body", 1);
               b.last().mutable_attribute(0)->mutable_g()->set_name("g");
             }),
     {"node 'y' (Relu): attribute body: a graph"}},
    {"QuantizedInput",
     changed(relu,
             [](OnnxBuilder& b) {
               b.model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
                   onnx::TensorProto::DOUBLE);
               b.model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
                   onnx::TensorProto::DOUBLE);
             }),
     {"input 'x' is float64; expected float32"}},
    {"NoOutput", changed(relu, [](OnnxBuilder& b) { b.model.mutable_graph()->clear_output(); }), {"no output"}},
    {"MetadataOfNoNode",
     changed(relu,
             [](OnnxBuilder& b) {
               b.model.add_metadata_props()->set_key("spillway.dense_weight_bytes");
               b.model.mutable_metadata_props(0)->set_value("lost\n");
             }),
     {"'lost' is no convolution"}},
    {"IndependentProblemsTogether",
     [] {
       OnnxBuilder b;
       b.input("x", {1, 4, 6, 6}).output("c");
       b.node("Softmax", {"x"}, "a")
           .node("Relu", {"a"}, "blocked")
           .node("Transpose", {"x"}, "b")
           .set("perm", {1, 0, 2, 3});
       return b.node("Add", {"blocked", "blocked"}, "c").bytes();
     },
     {"model.onnx: node 'a' (Softmax): over axis 3 of 1x4x6x6; expected over the channels of each position, axis 1\n"
      "folder/model.onnx: node 'b' (Transpose): "}},
};

void PrintTo(const Case& given, std::ostream* stream) {
  *stream << given.name;
}

class OnnxErrors : public ::testing::TestWithParam<Case> {};

TEST_P(OnnxErrors, SayWhatIsWrong) {
  const std::string message = refusal_of(GetParam().bytes());
  EXPECT_THAT(message, StartsWith("folder/model.onnx: "));
  for (const std::string& part : GetParam().message)
    EXPECT_THAT(message, HasSubstr(part));
}

INSTANTIATE_TEST_SUITE_P(EachMistake, OnnxErrors, ::testing::ValuesIn(cases),
                         [](const auto& given) { return std::string(given.param.name); });

TEST(OnnxErrorsOfFiles, CannotBeRead) {
  EXPECT_THAT(
      [] { read_onnx("nowhere/model.onnx"); },
      ::testing::ThrowsMessage<OnnxError>(HasSubstr("nowhere/model.onnx: cannot be read: No such file or directory")));
  EXPECT_THAT([] { read_onnx(::testing::TempDir()); },
              ::testing::ThrowsMessage<OnnxError>(HasSubstr("cannot be read: Is a directory")));
}

TEST(OnnxErrorsOfFiles, ProblemsAreTyped) {
  try {
    read_onnx_bytes(changed(relu, [](OnnxBuilder& b) { b.node("Einsum", {"x"}, "a"); })(), "model.onnx");
    FAIL() << "no error";
  } catch (const OnnxError& error) {
    EXPECT_EQ(error.file(), "model.onnx");
    ASSERT_EQ(error.problems().size(), 1U);
    EXPECT_EQ(error.problems().front(), (OnnxProblem{"a", "Einsum", "this operator is not supported"}));
  }
}

TEST(OnnxErrorsOfFiles, NamesCannotMoveTheCursor) {
  OnnxBuilder builder = relu();
  builder.node("Einsum", {"x"}, "a\x1b[2J");
  EXPECT_THAT(refusal_of(builder.bytes()), HasSubstr("node 'a?[2J' (Einsum)"));
}

/// Every prefix of a model and every changed byte is read or refused, never more.
TEST(OnnxErrorsOfFiles, DamageIsReadOrRefused) {
  const std::string whole = convolution().bytes();
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NO_FATAL_FAILURE(refusal_of(whole.substr(0, length)));
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      EXPECT_NO_FATAL_FAILURE(refusal_of(damaged));
    }
}

TEST(Load, TakesANameOfTheZooOrAPath) {
  EXPECT_EQ(load_network("tiny-chain").name(), "tiny-chain");
  EXPECT_FALSE(load("tiny-chain").element.has_value());
  const std::string path = paths::source("tests/models/data/fmnist_vggmini.onnx");
  EXPECT_EQ(load(path).network.name(), "fmnist_vggmini");
  EXPECT_EQ(load(path).element, ElementType::float32);
  EXPECT_THROW(load_network("nowhere.onnx"), OnnxError);
  EXPECT_THROW(load_network("tiny-chain", {.dimensions = {{"height", 8}}}), OnnxError);
}

TEST(Load, KnowsTheNamesThatThereAre) {
  try {
    load_network("vgg17");
    FAIL() << "no error";
  } catch (const UnknownNetwork& error) {
    EXPECT_EQ(error.name(), "vgg17");
    EXPECT_THAT(error.names(), ::testing::Contains("vgg16"));
    EXPECT_THAT(error.what(), AllOf(HasSubstr("unknown network \"vgg17\""), HasSubstr("vgg16")));
  }
}

}  // namespace
}  // namespace spillway::models
