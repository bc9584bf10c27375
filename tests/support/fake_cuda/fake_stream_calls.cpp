// Streams and events.
#include <chrono>
#include <utility>

#include "support/fake_cuda/fake_call.hpp"

namespace hotpack::test {
namespace {

using device::ContextHandle;
using device::EventHandle;
using device::StreamHandle;
namespace code = device::code;

// ---- Streams.

int stream_create(StreamHandle* handle, unsigned flags) {
  return enter(CallId::StreamCreate, Needs::context, [&](Call& call) {
    if (flags > device::kStreamNonBlocking) return code::kInvalidValue;
    auto stream = call.state.streams.add(*call.context, flags != device::kStreamNonBlocking);
    *handle = reinterpret_cast<StreamHandle>(call.state.stream_handles.add(
        HandleKind::stream, call.state.generation, std::move(stream)));
    return code::kSuccess;
  });
}

int stream_destroy(StreamHandle handle) {
  return enter_to_give_back(CallId::StreamDestroy, [&](Call& call) {
    const auto stream = call.state.stream_handles.find(handle);
    if (stream == nullptr)
      return call.state.unknown(call.name, "stream that can be destroyed", handle);
    if (stream->program) {
      call.state.note(std::string(call.name) + ": a stream of the program");
      return code::kInvalidHandle;
    }
    call.state.stream_handles.erase(handle);
    return code::kSuccess;
  });
}

int stream_wait_event(StreamHandle handle, EventHandle event_handle, unsigned flags) {
  return enter_stream(CallId::StreamWaitEvent, handle, [&](Call& call, FakeStream& stream) {
    std::shared_ptr<FakeEvent> event;
    if (const int found = call.state.find_event(event_handle, call.name, event);
        found != code::kSuccess)
      return found;
    if (flags != 0) return code::kInvalidValue;
    Operation wait;
    if (event->record != nullptr && !event->record->done) wait.needs.push_back(event->record);
    call.state.streams.give(stream, std::move(wait));
    return code::kSuccess;
  });
}

int stream_synchronize(StreamHandle handle) {
  return enter(CallId::StreamSynchronize, Needs::context, [&](Call& call) {
    std::shared_ptr<FakeStream> stream;
    if (const int found = call.state.find_stream(handle, *call.context, call.name, stream);
        found != code::kSuccess)
      return found;
    if (const int found = call.state.capture_code(*stream); found != code::kSuccess) return found;
    return call.state.wait(call.lock, stream->last, call.name);
  });
}

int stream_is_capturing(StreamHandle handle, int* status) {
  return enter(CallId::StreamIsCapturing, Needs::context, [&](Call& call) {
    std::shared_ptr<FakeStream> stream;
    if (const int found = call.state.find_stream(handle, *call.context, call.name, stream);
        found != code::kSuccess)
      return found;
    if (const int found = call.state.capture_code(*stream); found == code::kStreamCaptureImplicit)
      return found;
    const bool spoiled = stream->capture && stream->capture->spoiled;
    *status = spoiled             ? device::kCaptureInvalidated
              : stream->capturing ? device::kCaptureActive
                                  : device::kCaptureNone;
    return code::kSuccess;
  });
}

int thread_exchange_stream_capture_mode(int* mode) {
  return enter(CallId::ThreadExchangeStreamCaptureMode, Needs::driver, [&](Call& call) {
    if (*mode < 0 || *mode > device::kCaptureModeRelaxed) return code::kInvalidValue;
    std::swap(*mode, call.state.thread().capture_mode);
    return code::kSuccess;
  });
}

int stream_get_ctx(StreamHandle handle, ContextHandle* context) {
  const bool own =
      handle != nullptr && handle != device::kLegacyStream && handle != device::kPerThreadStream;
  return enter(CallId::StreamGetCtx, own ? Needs::driver : Needs::context, [&](Call& call) {
    if (!own) {
      *context = call.context->handle;
      return code::kSuccess;
    }
    const auto stream = call.state.stream_handles.find(handle);
    if (stream == nullptr) return call.state.unknown(call.name, "stream", handle);
    *context = stream->context->handle;
    return stream->context->broken;
  });
}

// ---- Events.

int event_create(EventHandle* handle, unsigned flags) {
  return enter(CallId::EventCreate, Needs::context, [&](Call& call) {
    auto event = std::make_shared<FakeEvent>();
    event->context = call.context;
    event->timing = (flags & device::kEventDisableTiming) == 0;
    event->blocking = (flags & device::kEventBlockingSync) != 0;
    *handle = reinterpret_cast<EventHandle>(
        call.state.event_handles.add(HandleKind::event, call.state.generation, std::move(event)));
    return code::kSuccess;
  });
}

int event_destroy(EventHandle handle) {
  return enter_to_give_back(CallId::EventDestroy, [&](Call& call) {
    if (call.state.event_handles.find(handle) == nullptr)
      return call.state.unknown(call.name, "event", handle);
    call.state.event_handles.erase(handle);
    return code::kSuccess;
  });
}

int event_record(EventHandle event_handle, StreamHandle handle) {
  return enter(CallId::EventRecord, Needs::context, [&](Call& call) {
    std::shared_ptr<FakeEvent> event;
    std::shared_ptr<FakeStream> stream;
    if (const int found = call.state.find_event(event_handle, call.name, event);
        found != code::kSuccess)
      return found;
    if (const int found = call.state.find_stream(handle, *call.context, call.name, stream);
        found != code::kSuccess)
      return found;
    if (call.state.capture_code(*stream) == code::kStreamCaptureImplicit)
      return code::kStreamCaptureImplicit;
    if (stream->context != event->context) {
      call.state.note(std::string(call.name) + ": the event is of device " +
                      std::to_string(event->context->ordinal) + ", the stream of device " +
                      std::to_string(stream->context->ordinal));
      return code::kInvalidHandle;
    }
    event->record = call.state.streams.give(*stream, Operation{});
    event->stream = stream;
    return code::kSuccess;
  });
}

int event_query(EventHandle handle) {
  return enter(CallId::EventQuery, Needs::driver, [&](Call& call) {
    std::shared_ptr<FakeEvent> event;
    if (const int found = call.state.find_event(handle, call.name, event); found != code::kSuccess)
      return found;
    if (event->record == nullptr || event->record->done) return code::kSuccess;
    if (event->stream->capturing) return code::kStreamCaptureUnsupported;
    const Obstacle obstacle = call.state.streams.obstacle(event->record);
    if (obstacle.broken != 0) return obstacle.broken;
    if (call.state.streams.polled_enough(*event->record) && !obstacle.block)
      call.state.streams.run(event->record);
    return event->record->done ? code::kSuccess : code::kNotReady;
  });
}

int event_synchronize(EventHandle handle) {
  return enter(CallId::EventSynchronize, Needs::context, [&](Call& call) {
    std::shared_ptr<FakeEvent> event;
    if (const int found = call.state.find_event(handle, call.name, event); found != code::kSuccess)
      return found;
    if (event->record == nullptr) return code::kSuccess;
    if (event->stream->capturing && !event->record->done) return code::kStreamCaptureUnsupported;
    if (!event->blocking) ++call.state.spinning_waits;
    return call.state.wait(call.lock, OperationPtr(event->record), call.name);
  });
}

int event_elapsed_time(float* milliseconds, EventHandle start_handle, EventHandle end_handle) {
  return enter(CallId::EventElapsedTime, Needs::driver, [&](Call& call) {
    std::shared_ptr<FakeEvent> start;
    std::shared_ptr<FakeEvent> end;
    if (const int found = call.state.find_event(start_handle, call.name, start);
        found != code::kSuccess)
      return found;
    if (const int found = call.state.find_event(end_handle, call.name, end);
        found != code::kSuccess)
      return found;
    const bool usable = start->timing && end->timing && start->context == end->context &&
                        start->record != nullptr && end->record != nullptr;
    if (!usable) {
      call.state.note(std::string(call.name) +
                      ": events without time-stamps, of two devices, or never recorded");
      return code::kInvalidHandle;
    }
    if (!start->record->done || !end->record->done) return code::kNotReady;
    *milliseconds =
        std::chrono::duration<float, std::milli>(end->record->finished - start->record->finished)
            .count();
    return code::kSuccess;
  });
}

}  // namespace

void fill_stream_calls(device::DriverTable& table) {
  table.StreamCreate = stream_create;
  table.StreamDestroy = stream_destroy;
  table.StreamWaitEvent = stream_wait_event;
  table.StreamSynchronize = stream_synchronize;
  table.StreamIsCapturing = stream_is_capturing;
  table.ThreadExchangeStreamCaptureMode = thread_exchange_stream_capture_mode;
  table.StreamGetCtx = stream_get_ctx;
  table.EventCreate = event_create;
  table.EventDestroy = event_destroy;
  table.EventRecord = event_record;
  table.EventQuery = event_query;
  table.EventSynchronize = event_synchronize;
  table.EventElapsedTime = event_elapsed_time;
}

}  // namespace hotpack::test
