// Every form of pack in the format, by name.
#pragma once

#include <map>
#include <string>

#include "support/tiny_shard.hpp"

namespace hotpack::test {

inline std::map<std::string, TinyForm> all_forms() {
  std::map<std::string, TinyForm> forms;
  forms["bits"] = {};
  forms["onehot"].storage = LabelStorage::one_hot;
  forms["index"].storage = LabelStorage::index;
  forms["index-300"].storage = LabelStorage::index;
  forms["index-300"].classes = 300;
  forms["bits-12"].classes = 12;
  forms["multi"].multi = true;
  forms["multi-onehot"].multi = true;
  forms["multi-onehot"].storage = LabelStorage::one_hot;
  forms["sample-bits"].scope = LabelScope::image;
  forms["sample-onehot"] = {.scope = LabelScope::image, .storage = LabelStorage::one_hot};
  forms["sample-index"] = {.scope = LabelScope::image, .storage = LabelStorage::index};
  forms["unlabeled"].labeled = false;
  forms["gray"].color = ImageColor::gray;
  forms["chw"].layout = AxisOrder::channels_first;
  forms["gray-chw"] = {.layout = AxisOrder::channels_first, .color = ImageColor::gray};
  forms["mixed"].size.reset();
  forms["mixed-chw"] = {.layout = AxisOrder::channels_first, .size = {}};
  forms["mixed-index"] = {.storage = LabelStorage::index, .size = {}};
  forms["mixed-index-300"] = {.storage = LabelStorage::index, .classes = 300, .size = {}};
  forms["mixed-sample"] = {.scope = LabelScope::image, .size = {}};
  forms["mixed-unlabeled"] = {.labeled = false, .size = {}};
  forms["zstd"] = {.image_zstd = true, .label_zstd = true};
  forms["zstd-image"].image_zstd = true;
  forms["zstd-label"].label_zstd = true;
  forms["zstd-mixed"] = {
      .storage = LabelStorage::index, .size = {}, .image_zstd = true, .label_zstd = true};
  forms["zstd-index-300"] = {.storage = LabelStorage::index, .classes = 300, .label_zstd = true};
  forms["later"].later = true;
  forms["later-unlabeled"] = {.labeled = false, .later = true};
  forms["later-zstd"] = {.image_zstd = true, .label_zstd = true, .later = true};
  return forms;
}

}  // namespace hotpack::test
