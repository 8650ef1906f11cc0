// FieldVisitor, a visitor of visit_state() (state_visitor.h), passes the fields of a world's state to a
// FieldSink as records. A group outside of records is a record of its own, and so is each element of a list.
// The elements of a list inside of an element form one list for all parents, and the parent has their number
// as a field. FieldVisitor encodes nothing and changes nothing; tools that compare states use it, steps do
// not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <type_traits>
#include <utility>

#include "takt/core/state_fields.h"

namespace takt {

class FieldVisitor {
 public:
  explicit FieldVisitor(FieldSink& sink) noexcept : sink_(&sink) {}

  template <class T>
  void value(const char* name, T& field) {
    std::size_t const size = path_.size();
    path_ += name;
    sink_->field(number_field(path_, std::remove_const_t<T>(field)));
    path_.resize(size);
  }
  template <class F>
  void group(const char* name, F fields) {
    if (list_.empty()) {
      list_ = name;
      is_element_ = false;
      sink_->begin_record(list_, kNotInList);
      fields();
      sink_->end_record();
      list_.clear();
      return;
    }
    std::size_t const size = path_.size();
    path_ += name;
    path_ += '.';
    fields();
    path_.resize(size);
  }
  template <class List, class F>
  void list(const char* name, List& elements, F visit) {
    auto const count = static_cast<std::uint32_t>(elements.size());
    if (is_element_) value((std::string(name) + "_count").c_str(), count);
    std::string const outer_list = list_;
    std::string const outer_path = std::exchange(path_, {});
    bool const outer_is_element = std::exchange(is_element_, true);
    list_ = outer_list.empty() ? name : outer_list + '.' + name;
    std::uint64_t& next = next_index(list_);
    for (auto& element : elements) {
      sink_->begin_record(list_, next++);
      visit(element);
      sink_->end_record();
    }
    list_ = outer_list;
    path_ = outer_path;
    is_element_ = outer_is_element;
  }
  template <class List, class F>
  void varied_list(const char* name, List& elements, F visit) {
    list(name, elements, visit);
  }

 private:
  struct Counter {
    std::string list;
    std::uint64_t next = 0;
  };
  std::uint64_t& next_index(const std::string& list) {
    for (Counter& counter : counters_)
      if (counter.list == list) return counter.next;
    return counters_.emplace_back(Counter{list, 0}).next;
  }

  FieldSink* sink_;
  std::string list_;  // of the open record; empty = none is open
  std::string path_;  // of the open groups in it
  bool is_element_ = false;
  std::deque<Counter> counters_;  // whose references survive lists within lists
};

}  // namespace takt
