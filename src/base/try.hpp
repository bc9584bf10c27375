// Early return in functions that return a Result.
#pragma once

#include "hotpack/result.hpp"

#define HOTPACK_CONCAT_(a, b) a##b
#define HOTPACK_CONCAT(a, b) HOTPACK_CONCAT_(a, b)

// Evaluates `expression`, which gives a Status or a Result. If it is an error, returns that error
// from the enclosing function.
#define HOTPACK_TRY(expression)                               \
  do {                                                        \
    if (auto hotpack_try_ = (expression); !hotpack_try_.ok()) \
      return std::move(hotpack_try_).error();                 \
  } while (false)

// `HOTPACK_ASSIGN(auto x, f())` assigns the value of f() to x. If f() gives an error, returns that
// error from the enclosing function.
#define HOTPACK_ASSIGN(target, expression) \
  HOTPACK_ASSIGN_(HOTPACK_CONCAT(hotpack_assign_, __LINE__), target, expression)
#define HOTPACK_ASSIGN_(name, target, expression) \
  auto name = (expression);                       \
  if (!name.ok()) return std::move(name).error(); \
  target = std::move(name).value()
