// Everything a program needs that reads packed data sets.
#pragma once

#include "hotpack/augment.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/device_loader.hpp"
#include "hotpack/expand.hpp"
#include "hotpack/loader.hpp"
#include "hotpack/loader_options.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "hotpack/shard.hpp"
#include "hotpack/slot_memory.hpp"
#include "hotpack/statistics.hpp"
#include "hotpack/verify.hpp"
#include "hotpack/version.hpp"
