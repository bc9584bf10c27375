// Everything that a program needs to read packs.
//
// Begin with loader.hpp, batch.hpp and loader_options.hpp. result.hpp says how functions fail.
#pragma once

#include "hotpack/augment.hpp"
#include "hotpack/batch.hpp"
#include "hotpack/batch_copy.hpp"
#include "hotpack/build_info.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/device_loader.hpp"
#include "hotpack/expand.hpp"
#include "hotpack/loader.hpp"
#include "hotpack/loader_options.hpp"
#include "hotpack/loader_state.hpp"
#include "hotpack/read_batch.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "hotpack/shard.hpp"
#include "hotpack/slot_memory.hpp"
#include "hotpack/statistics.hpp"
#include "hotpack/verify.hpp"
#include "hotpack/version.hpp"
