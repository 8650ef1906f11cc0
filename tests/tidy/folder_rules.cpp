#include "tests/tidy/folder_rules.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace takt::tidy {
namespace {

const FolderOrder* find_order(std::string_view module) {
  std::span const orders = folder_orders();
  auto const found = std::ranges::find(orders, module, &FolderOrder::module);
  return found == orders.end() ? nullptr : &*found;
}

/// The folder below the module: "step" for physics/step/islands.h, empty for sim/game.cpp.
std::string_view folder_of(std::string_view path) {
  std::size_t const first = path.find('/');
  std::size_t const last = path.rfind('/');
  return first == last ? std::string_view{} : path.substr(first + 1, last - first - 1);
}

std::optional<std::size_t> rank_of(const FolderOrder& order, std::string_view path) {
  auto const found = std::ranges::find(order.folders, folder_of(path));
  if (found == order.folders.end()) return std::nullopt;
  return static_cast<std::size_t>(std::distance(order.folders.begin(), found));
}

std::string shown(std::string_view module, std::string_view folder) {
  return std::string(module) + (folder.empty() ? "" : "/") + std::string(folder);
}

/// The path without "include/" and without its ending: a header and its source are one unit.
std::string unit_of(std::string_view path) {
  if (path.starts_with("include/")) path.remove_prefix(std::string_view("include/").size());
  return std::string(path.substr(0, path.rfind('.')));
}

/// Units, and for each the units that it includes.
using Graph = std::map<std::string, std::set<std::string>>;

Graph include_graph(std::span<const SourceFile> files) {
  Graph graph;
  for (const SourceFile& file : files) {
    if (!file.is_code()) continue;
    std::string const from = unit_of(file.path);
    graph.try_emplace(from);
    for (const Include& include : file.includes) {
      std::string to = unit_of(include.path);
      if (!include.angled && to != from) graph[from].insert(std::move(to));
    }
  }
  return graph;
}

/// Strongly connected components. Source: R. Tarjan, Depth-first search and linear graph algorithms (1972).
class KnotSearch {
 public:
  explicit KnotSearch(const Graph& graph) : graph_(graph) {}

  std::vector<std::vector<std::string>> run() {
    for (const auto& [unit, targets] : graph_) {
      if (!nodes_.contains(unit)) visit(unit);
    }
    return std::move(knots_);
  }

 private:
  struct Node {
    std::size_t index = 0;
    std::size_t lowest = 0;  ///< lowest index on the stack that the unit reaches
    bool on_stack = false;
  };

  void visit(const std::string& unit) {
    std::size_t const index = nodes_.size();
    Node& node = nodes_[unit];  // std::map keeps references
    node = {index, index, true};
    stack_.push_back(unit);
    auto const targets = graph_.find(unit);
    if (targets != graph_.end()) {
      for (const std::string& target : targets->second) {
        auto const known = nodes_.find(target);
        if (known == nodes_.end()) {
          visit(target);
          node.lowest = std::min(node.lowest, nodes_[target].lowest);
        } else if (known->second.on_stack) {
          node.lowest = std::min(node.lowest, known->second.index);
        }
      }
    }
    if (node.lowest != node.index) return;
    std::vector<std::string> knot;
    do {
      knot.push_back(std::move(stack_.back()));
      stack_.pop_back();
      nodes_[knot.back()].on_stack = false;
    } while (knot.back() != unit);
    std::ranges::sort(knot);
    if (knot.size() > 1) knots_.push_back(std::move(knot));
  }

  const Graph& graph_;
  std::map<std::string, Node> nodes_;
  std::vector<std::string> stack_;
  std::vector<std::vector<std::string>> knots_;
};

}  // namespace

std::span<const FolderOrder> folder_orders() {
  static const std::vector<FolderOrder> kOrders{
      {"physics",
       {"math", "base", "simd", "geometry", "state", "broad_phase", "narrow_phase", "constraints", "contacts",
        "contact_solver", "joints", "ropes", "movers", "step", "world"}},
      {"protocol", {"wire", "messages", "link", "snapshot", "confirmed", "session"}},
      {"sim",
       {"state", "scene", "batch", "random_scene", "commands", "replication", "recording", "comparison", ""}},
      {"server", {"", "web", "app"}},
  };
  return kOrders;
}

std::vector<Finding> check_folders(const SourceFile& file) {
  std::vector<Finding> findings;
  std::string_view const module = std::string_view(file.path).substr(0, file.path.find('/'));
  FolderOrder const* const order = find_order(module);
  if (order == nullptr || !file.is_code()) return findings;
  std::optional<std::size_t> const own = rank_of(*order, file.path);
  if (!own) {
    findings.push_back({file.path, 0, shown(module, folder_of(file.path)) + " is no folder of the table"});
    return findings;
  }
  for (const Include& include : file.includes) {
    if (include.angled || !include.path.starts_with(std::string(module) + '/')) continue;
    std::optional<std::size_t> const other = rank_of(*order, include.path);
    if (!other) {
      findings.push_back(
          {file.path, include.line, shown(module, folder_of(include.path)) + " is no folder of the table"});
    } else if (*other > *own) {
      findings.push_back({file.path, include.line,
                          shown(module, order->folders[*own]) + " must not include " + include.path +
                              ": that folder is above it"});
    }
  }
  return findings;
}

std::vector<std::vector<std::string>> find_knots(std::span<const SourceFile> files) {
  std::vector<std::vector<std::string>> knots = KnotSearch(include_graph(files)).run();
  std::ranges::stable_sort(knots, [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return knots;
}

std::vector<Finding> check_knots(std::span<const SourceFile> files) {
  std::vector<Finding> findings;
  for (const std::vector<std::string>& knot : find_knots(files)) {
    if (knot.size() <= kMaxKnotUnits) continue;
    std::string units;
    for (const std::string& unit : knot) units += ' ' + unit;
    findings.push_back({knot.front(), 0,
                        std::to_string(knot.size()) + " units include one another in a circle; at most " +
                            std::to_string(kMaxKnotUnits) + " may:" + units});
  }
  return findings;
}

}  // namespace takt::tidy
