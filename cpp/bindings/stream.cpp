// Bindings of the online learners: one class that combines an encoder and a learner that is watched
// by a drift detector. No learning happens in this file.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include "bindings/python.hpp"
#include "bindings/stream_encoder.hpp"
#include "stream/online_branches.hpp"
#include "stream/tree_search.hpp"
#include "stream/watched_learner.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

using CodeMatrix = Matrix<std::uint8_t>;
using NumberMatrix = Matrix<double>;
using LabelArray = Vector<std::int32_t>;
using WeightArray = Vector<double>;

template <class T>
T option(const nb::dict& options, const char* name) {
  return nb::cast<T>(options[name]);
}

std::unique_ptr<stream::Learner> make_learner(const std::string& kind, const nb::dict& o) {
  if (kind == "branches") {
    return std::make_unique<stream::OnlineBranches>(stream::OnlineBranchesOptions{
        option<double>(o, "split_penalty"), option<std::int32_t>(o, "window_size"),
        option<std::int32_t>(o, "iterations_per_sample"), option<std::int32_t>(o, "numeric_bins"),
        option<std::size_t>(o, "memory_limit")});
  }
  stream::TreeSearchOptions options;
  if (kind == "upper_confidence") {
    options.policy = stream::PolicyKind::upper_confidence;
  } else if (kind == "epsilon_greedy") {
    options.policy = stream::PolicyKind::epsilon_greedy;
  } else if (kind == "thompson") {
    options.policy = stream::PolicyKind::thompson;
    options.clark = option<bool>(o, "clark");
  } else {
    throw std::invalid_argument("unknown online learner '" + kind + "'");
  }
  options.split_penalty = option<double>(o, "split_penalty");
  options.samples_per_simulation = option<std::int32_t>(o, "samples_per_simulation");
  options.gamma = option<double>(o, "gamma");
  options.numeric_bins = option<std::int32_t>(o, "numeric_bins");
  options.memory_limit = option<std::size_t>(o, "memory_limit");
  options.seed = option<std::uint64_t>(o, "seed");
  return std::make_unique<stream::TreeSearch>(options);
}

// A drift detector with River's interface; None: no detection.
class PythonDetector final : public stream::DriftDetector {
 public:
  explicit PythonDetector(nb::object prototype) : prototype_(std::move(prototype)) { renew(); }

  bool active() const override { return !detector_.is_none(); }
  void update(bool mistake) override { detector_.attr("update")(mistake ? 1.0 : 0.0); }
  bool detected() const override { return nb::cast<bool>(detector_.attr("drift_detected")); }
  void renew() override { detector_ = nb::module_::import_("copy").attr("deepcopy")(prototype_); }

  nb::tuple save() const { return nb::make_tuple(prototype_, detector_); }
  void load(nb::handle prototype, nb::handle detector) {
    prototype_ = nb::borrow(prototype);
    detector_ = nb::borrow(detector);
  }

 private:
  nb::object prototype_;
  nb::object detector_;
};

class StreamModel {
 public:
  // If `discount` is negative, drift restarts the learner. Otherwise the statistics of earlier rows
  // are multiplied by it.
  StreamModel(const std::string& kind, nb::dict options, nb::object helper,
              std::int32_t max_categories, nb::object detector, double discount)
      : StreamModel(make_learner(kind, options), std::move(helper), max_categories,
                    std::make_unique<PythonDetector>(std::move(detector)), discount) {}

  std::int32_t learn_one(nb::dict row, nb::handle y, double weight) {
    encoder_.encode(row, true);
    const std::int32_t label = encoder_.label(y, true);
    grow();
    watched_.learn(encoder_.codes(), encoder_.numbers(), label, weight);
    encoder_.mark_started();
    return label;
  }

  nb::object predict_one(nb::dict row) {
    encoder_.encode(row, false);
    const std::int32_t k = learner().predict(encoder_.codes(), encoder_.numbers());
    return k < 0 ? nb::none() : nb::object(encoder_.classes()[static_cast<std::size_t>(k)]);
  }

  nb::object class_weights_one(nb::dict row) {
    encoder_.encode(row, false);
    const std::int32_t node = learner().find(encoder_.codes(), encoder_.numbers());
    return weights_of(node);
  }

  // Learns rows in order. If a signal arrives, it stops between two rows.
  void learn_rows(const CodeMatrix& codes, const NumberMatrix& numbers, const LabelArray& labels,
                  const WeightArray& weights) {
    check_shapes(codes, numbers, labels, weights);
    grow();
    encoder_.mark_started();
    for (std::size_t i = 0; i < labels.shape(0); ++i) {
      if (i % 256 == 255 && PyErr_CheckSignals() != 0) throw nb::python_error();
      watched_.learn(row_of(codes, i), numbers_of(numbers, i), labels(i), weights(i));
    }
  }

  nb::object predict_rows(const CodeMatrix& codes, const NumberMatrix& numbers) {
    check_width(codes, numbers);
    std::vector<std::int32_t> predicted(codes.shape(0));
    for (std::size_t i = 0; i < predicted.size(); ++i)
      predicted[i] = learner().predict(row_of(codes, i), numbers_of(numbers, i));
    return to_numpy(std::move(predicted));
  }

  nb::object find_rows(const CodeMatrix& codes, const NumberMatrix& numbers) {
    check_width(codes, numbers);
    std::vector<std::int32_t> nodes(codes.shape(0));
    for (std::size_t i = 0; i < nodes.size(); ++i)
      nodes[i] = learner().find(row_of(codes, i), numbers_of(numbers, i));
    return to_numpy(std::move(nodes));
  }

  // The codes of the distinct values of a column, as a list.
  nb::object codes_of(std::int32_t column, nb::list values, bool learning) {
    std::vector<std::uint8_t> codes;
    for (nb::handle value : values) codes.push_back(encoder_.code(column, value, learning));
    return to_numpy(std::move(codes));
  }

  nb::object numbers_in(std::int32_t column, nb::list values) {
    std::vector<double> numbers;
    for (nb::handle value : values) numbers.push_back(encoder_.number(column, value));
    return to_numpy(std::move(numbers));
  }

  nb::object labels_of(nb::list values, bool learning) {
    std::vector<std::int32_t> labels;
    for (nb::handle value : values) labels.push_back(encoder_.label(value, learning));
    return to_numpy(std::move(labels));
  }

  nb::dict tree() const {
    const stream::StreamTree& tree = learner().tree();
    std::vector<std::int32_t> feature, cut, first_child, n_children, lo, hi;
    std::vector<double> threshold;
    for (const stream::StreamNode& node : tree.nodes) {
      feature.push_back(node.split.column);
      cut.push_back(node.split.cut);
      first_child.push_back(node.first_child);
      n_children.push_back(node.n_children);
      threshold.push_back(threshold_of(node.split));
    }
    for (const stream::Literal& l : tree.literal) {
      lo.push_back(l.lo);
      hi.push_back(l.hi);
    }
    nb::dict d;
    d["feature"] = to_numpy(std::move(feature));
    d["cut"] = to_numpy(std::move(cut));
    d["threshold"] = to_numpy(std::move(threshold));
    d["first_child"] = to_numpy(std::move(first_child));
    d["n_children"] = to_numpy(std::move(n_children));
    d["children"] = to_numpy(tree.children);
    d["lo"] = to_numpy(std::move(lo));
    d["hi"] = to_numpy(std::move(hi));
    d["weight"] = to_numpy(tree.weight);
    d["n_classes"] = tree.n_classes;
    return d;
  }

  nb::dict statistics() const {
    nb::dict d;
    for (const auto& [name, value] : learner().statistics()) d[name.c_str()] = value;
    d["bytes"] = learner().bytes();
    d["drifts"] = drifts();
    return d;
  }

  std::int32_t n_splits() const { return learner().tree().n_splits(); }
  std::int32_t depth() const { return learner().tree().depth(); }
  bool finished() const { return learner().finished(); }
  std::int64_t drifts() const { return watched_.state().n_drifts; }
  std::size_t bytes() const { return learner().bytes(); }
  Encoder& encoder() { return encoder_; }
  void restart(std::int64_t recent) { learner().restart(recent); }

  bool settle(std::int64_t steps) {
    return watched_.settle(steps, [] {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    });
  }

  nb::tuple save() {
    const std::string bytes = learner().save();
    const auto& [trend, n_drifts] = watched_.state();
    const nb::tuple detector = detector_->save();
    return nb::make_tuple(
        encoder_.save(), nb::bytes(bytes.data(), bytes.size()), n_drifts,
        nb::make_tuple(detector[0], detector[1], trend.recent, trend.past, trend.sum, trend.since));
  }
  void load(nb::tuple state) {
    encoder_.load(nb::cast<nb::tuple>(state[0]));
    const auto bytes = nb::cast<nb::bytes>(state[1]);
    learner().load({bytes.c_str(), bytes.size()});
    const auto watch = nb::cast<nb::tuple>(state[3]);
    detector_->load(watch[0], watch[1]);
    const stream::ErrorTrend trend{nb::cast<double>(watch[2]), nb::cast<double>(watch[3]),
                                   nb::cast<double>(watch[4]), nb::cast<std::int64_t>(watch[5])};
    watched_.set_state({trend, nb::cast<std::int64_t>(state[2])});
  }

 private:
  StreamModel(std::unique_ptr<stream::Learner> learner, nb::object helper,
              std::int32_t max_categories, std::unique_ptr<PythonDetector> detector,
              double discount)
      : detector_(detector.get()), watched_(std::move(learner), std::move(detector), discount),
        encoder_(std::move(helper), max_categories) {}

  stream::Learner& learner() { return watched_.learner(); }
  const stream::Learner& learner() const { return watched_.learner(); }

  void grow() {
    if (encoder_.take_grown()) learner().grow(encoder_.schema());
  }

  nb::object weights_of(std::int32_t node) const {
    if (learner().tree().n_classes == 0) return nb::list();
    nb::list out;
    for (const double w : learner().tree().class_weights(node)) out.append(w);
    return out;
  }

  double threshold_of(const stream::Split& split) const {
    if (split.cut < 0) return std::numeric_limits<double>::quiet_NaN();
    const auto j = static_cast<std::size_t>(encoder_.number_index(split.column));
    const auto& thresholds = learner().tree_bins()[j].thresholds;
    const auto cut = static_cast<std::size_t>(split.cut);
    // The threshold in front of the code for missing values: all numbers are on its left.
    return cut < thresholds.size() ? thresholds[cut] : std::numeric_limits<double>::infinity();
  }

  void check_width(const CodeMatrix& codes, const NumberMatrix& numbers) const {
    if (codes.shape(0) != numbers.shape(0) ||
        codes.shape(1) != static_cast<std::size_t>(encoder_.n_columns()) ||
        numbers.shape(1) != static_cast<std::size_t>(encoder_.n_numbers()))
      throw std::invalid_argument("codes and numbers do not match the columns");
  }

  void check_shapes(const CodeMatrix& codes, const NumberMatrix& numbers, const LabelArray& labels,
                    const WeightArray& weights) const {
    const std::size_t n = labels.shape(0);
    const auto columns = static_cast<std::size_t>(encoder_.n_columns());
    const auto n_numbers = static_cast<std::size_t>(encoder_.n_numbers());
    if (codes.shape(0) != n || numbers.shape(0) != n || weights.shape(0) != n ||
        codes.shape(1) != columns || numbers.shape(1) != n_numbers)
      throw std::invalid_argument(
          "codes, numbers, labels and weights have different numbers of rows");
    for (std::size_t i = 0; i < n; ++i) {
      if (labels(i) < 0 || labels(i) >= encoder_.schema().n_classes || !(weights(i) > 0.0))
        throw std::invalid_argument("a label or weight is out of range");
      for (std::size_t c = 0; c < columns; ++c) {
        const stream::Column& column = encoder_.schema().columns[c];
        if (column.kind == stream::ColumnKind::multiway && codes(i, c) >= column.n_codes)
          throw std::invalid_argument("a code is out of range");
      }
    }
  }

  static stream::Row row_of(const CodeMatrix& codes, std::size_t i) {
    return {codes.data() + i * codes.shape(1), codes.shape(1)};
  }
  static std::span<const double> numbers_of(const NumberMatrix& numbers, std::size_t i) {
    return {numbers.data() + i * numbers.shape(1), numbers.shape(1)};
  }

  PythonDetector* detector_;  // belongs to the watched learner
  stream::WatchedLearner watched_;
  Encoder encoder_;
};

}  // namespace

void bind_stream(nb::module_& m) {
  nb::class_<StreamModel>(m, "StreamModel", "An online learner with its encoder. Private.")
      .def(nb::init<const std::string&, nb::dict, nb::object, std::int32_t, nb::object, double>(),
           "kind"_a, "options"_a, "helper"_a, "max_categories"_a, "detector"_a.none(), "discount"_a)
      .def("learn_one", &StreamModel::learn_one, "x"_a, "y"_a, "w"_a)
      .def("predict_one", &StreamModel::predict_one, "x"_a)
      .def("class_weights_one", &StreamModel::class_weights_one, "x"_a)
      .def("learn_rows", &StreamModel::learn_rows, "codes"_a, "numbers"_a, "labels"_a, "weights"_a)
      .def("predict_rows", &StreamModel::predict_rows, "codes"_a, "numbers"_a)
      .def("find_rows", &StreamModel::find_rows, "codes"_a, "numbers"_a)
      .def("codes_of", &StreamModel::codes_of, "column"_a, "values"_a, "learning"_a)
      .def("numbers_in", &StreamModel::numbers_in, "column"_a, "values"_a)
      .def("labels_of", &StreamModel::labels_of, "values"_a, "learning"_a)
      .def(
          "column",
          [](StreamModel& s, nb::handle name, nb::handle value) {
            return s.encoder().column(name, value);
          },
          "name"_a, "first_value"_a.none())
      .def(
          "find_column",
          [](StreamModel& s, nb::handle name) { return s.encoder().find_column(name); }, "name"_a)
      .def(
          "missing_code",
          [](StreamModel& s, std::int32_t column, bool learning) {
            return s.encoder().missing_code(column, learning);
          },
          "column"_a, "learning"_a)
      .def(
          "number_index",
          [](StreamModel& s, std::int32_t column) { return s.encoder().number_index(column); },
          "column"_a)
      .def(
          "categories",
          [](StreamModel& s, std::int32_t column) { return s.encoder().categories(column); },
          "column"_a)
      .def("tree", &StreamModel::tree)
      .def("statistics", &StreamModel::statistics)
      .def("restart", &StreamModel::restart, "recent"_a = 0)
      .def("settle", &StreamModel::settle, "steps"_a)
      .def("save", &StreamModel::save)
      .def("load", &StreamModel::load, "state"_a)
      .def_prop_ro("names", [](StreamModel& s) { return s.encoder().names(); })
      .def_prop_ro("classes", [](StreamModel& s) { return s.encoder().classes(); })
      .def_prop_ro("n_columns", [](StreamModel& s) { return s.encoder().n_columns(); })
      .def_prop_ro("n_numbers", [](StreamModel& s) { return s.encoder().n_numbers(); })
      .def_prop_ro("n_splits", &StreamModel::n_splits)
      .def_prop_ro("depth", &StreamModel::depth)
      .def_prop_ro("finished", &StreamModel::finished)
      .def_prop_ro("drifts", &StreamModel::drifts)
      .def_prop_ro("bytes", &StreamModel::bytes);
}

}  // namespace treeproof::bindings
