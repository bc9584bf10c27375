#include <array>

#include "base/words.hpp"
#include "geometry/resample.hpp"
#include "support/catch.hpp"
#include "unit/geometry/resize_cases.hpp"

using namespace hotpack;
using namespace hotpack::geometry;

namespace {

// The cases cover both sides of every branch of resizing: larger and smaller, exact halves, integer
// and other factors, one axis larger and the other smaller. The hashes are those of OpenCV 4.6.0 of
// Debian 12.
constexpr std::array<ResizeCase, 16> kCases{{
    {ImageFilter::linear, 1, {23, 17}, {40, 31}, 0x208884c6baf90f85},
    {ImageFilter::linear, 3, {23, 17}, {40, 31}, 0xf73d128d0b4c5d7f},
    {ImageFilter::linear, 1, {41, 37}, {19, 16}, 0x69577db32ffab9af},
    {ImageFilter::linear, 3, {41, 37}, {19, 16}, 0xd814103241bebd6e},
    {ImageFilter::linear, 3, {19, 40}, {33, 21}, 0x7b13d8007fc3d719},
    {ImageFilter::linear, 1, {48, 34}, {24, 17}, 0x78f5d0a73aa5895c},
    {ImageFilter::linear, 3, {48, 34}, {24, 17}, 0x3ffb5cbf95ea1a46},
    {ImageFilter::area, 1, {48, 34}, {24, 17}, 0x78f5d0a73aa5895c},
    {ImageFilter::area, 3, {48, 34}, {24, 17}, 0x3ffb5cbf95ea1a46},
    {ImageFilter::area, 1, {57, 33}, {19, 11}, 0xabd169eaf72f6c8b},
    {ImageFilter::area, 3, {57, 33}, {19, 11}, 0xa81cfa19e1b28f22},
    {ImageFilter::area, 1, {53, 47}, {20, 22}, 0x31084af648cd91ec},
    {ImageFilter::area, 3, {53, 47}, {20, 22}, 0xc65de5f875ee1a7c},
    {ImageFilter::area, 3, {19, 40}, {33, 21}, 0xc700127daabb32ba},
    {ImageFilter::nearest, 1, {23, 17}, {40, 31}, 0x083fb7287fb782e5},
    {ImageFilter::nearest, 3, {41, 37}, {19, 16}, 0x3f3c8cd63af34578},
}};

}  // namespace

TEST_CASE("linear, area and nearest equal OpenCV 4.6, non-integer area included") {
  for (const ResizeCase& resize_case : kCases) {
    INFO(word_of(resize_case.filter)
         << " " << resize_case.channels << " channels, " << resize_case.source.width << "x"
         << resize_case.source.height << " to " << resize_case.target.width << "x"
         << resize_case.target.height);
    CHECK(resize_hash(resize_case) == resize_case.hash);
  }
}
