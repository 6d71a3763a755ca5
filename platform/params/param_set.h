// The checked parameters of one block, with all defaults filled in.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "platform/base/error.h"
#include "platform/params/field_table.h"

namespace kb::params {

// An immutable parameter struct with its table; all blocks of one template share it.
class ParamSet {
 public:
  // An empty set.
  ParamSet() = default;
  // The defaults of a table.
  explicit ParamSet(const FieldTable& table) : table_(&table), params_(table.defaults()) {}
  // `params` points to the struct that the table describes.
  ParamSet(const FieldTable& table, std::shared_ptr<const void> params) : table_(&table), params_(std::move(params)) {}

  // The struct; model Error when the parameters belong to another kind of block.
  template <typename P>
  const P& as() const {
    if (table_ == nullptr || table_->type() != typeid(P)) throw Error::model("parameters of another kind of block");
    return *static_cast<const P*>(params_.get());
  }
  // A copy on which `change(P&)` was called.
  template <typename P, typename F>
  ParamSet with(F&& change) const {
    P params = as<P>();
    change(params);
    return ParamSet(*table_, std::make_shared<const P>(std::move(params)));
  }

  const FieldTable* table() const { return table_; }
  std::optional<Value> value(const Field& field) const { return field.get(params_.get()); }
  // Looks up a field by name. Returns no value when the field does not exist or is unset.
  std::optional<Value> find(std::string_view name) const;
  const void* data() const { return params_.get(); }

 private:
  const FieldTable* table_ = nullptr;
  std::shared_ptr<const void> params_;
};

}  // namespace kb::params
