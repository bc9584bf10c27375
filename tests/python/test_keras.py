"""hotpack.keras with the real Keras on JAX, TensorFlow and PyTorch: each sample once an epoch."""

import json
import os
import subprocess
import sys
import threading

import pytest
from conftest import framework, golden_pack

framework("keras")

SERVER = """
import contextlib, io, json, sys, traceback
for line in sys.stdin:
    program, sys.argv = json.loads(line)
    error = None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try: exec(compile(program, "program", "exec"), {"__name__": "__main__"})
        except BaseException: error = traceback.format_exc()
    print(json.dumps([printed.getvalue(), error]), flush=True)
"""


@pytest.fixture(scope="module")
def servers():
    """A process for each backend, because Keras has one per process, and takes seconds to import."""
    started = {}
    yield started
    for server in started.values():
        server.kill()
        server.wait()


@pytest.fixture
def run(servers):
    """Runs a program with its backend and returns what it prints."""

    def run(program, *arguments):
        backend, text = program
        if backend not in servers:
            variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "KERAS_BACKEND": backend}
            servers[backend] = subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=variables)
        server = servers[backend]
        timer = threading.Timer(300, server.kill)
        timer.start()
        print(json.dumps([text, ["program", *map(str, arguments)]]), file=server.stdin, flush=True)
        answer = server.stdout.readline()
        timer.cancel()
        if not answer:
            raise AssertionError(f"the process ended with {servers.pop(backend).wait()}")
        printed, error = json.loads(answer)
        assert error is None, error
        return printed

    return run


PROGRAM = """
import os, sys
import numpy as np, keras, hotpack, hotpack.keras
ds = hotpack.open(*[sys.argv[1]] * 8)
def loader(**options):
    return hotpack.Loader(ds, 4, seed=5, image=hotpack.Image("float32"), label=hotpack.Ids("int32"), prefetch_batches=6, **options)
seen = []
def noted(x, y):
    seen.append(round(float(np.asarray(x, np.float64).sum()), 6))
    return x, y
def sums(epochs):
    one = loader()
    return [[round(float(x.astype(np.float64).sum()), 6) for x, y in one] for _ in range(epochs)]
model = keras.Sequential([keras.layers.Input((10, 12, 3)), keras.layers.Conv2D(11, 1)])
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=-100))
data = hotpack.keras.PyDataset(loader(), transform=noted)
{body}
"""


def program(backend, body):
    return backend, PROGRAM.format(body=body)


@pytest.mark.parametrize("backend", ["jax", "tensorflow"])
def test_fit_gets_every_epoch_of_the_loader(run, backend):
    framework("jax" if backend == "jax" else "tensorflow")
    text = run(
        program(
            backend,
            """
class Count(keras.callbacks.Callback):
    def __init__(self): super().__init__(); self.steps = 0
    def on_train_batch_end(self, batch, logs=None): self.steps += 1
count = Count()
model.fit(data, epochs=3, verbose=0, callbacks=[count])
wanted = sums(4)
for epoch in range(3):
    # what was asked of the loader, in order, begins anew with each epoch
    assert all(total in seen for total in wanted[epoch]), (epoch, seen, wanted)
print(count.steps)
""",
        ),
        golden_pack("bits"),
    )
    assert text == "18\n"


@pytest.mark.parametrize("backend", ["jax", "tensorflow"])
def test_what_the_model_sees_is_each_sample_once_an_epoch(run, backend):
    """The mean of a model's outputs is that of all samples, which a lost or doubled batch would change."""
    framework("jax" if backend == "jax" else "tensorflow")
    text = run(
        program(
            backend,
            """
class Sum(keras.Model):
    def __init__(self): super().__init__(); self.conv = keras.layers.Conv2D(11, 1); self.total = keras.metrics.Sum()
    def call(self, x): return self.conv(x)
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        self.total.update_state(keras.ops.sum(x)); return super().compute_loss(x, y, y_pred, sample_weight, training)
    @property
    def metrics(self): return [self.total]
model = Sum(); model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=-100))
history = model.fit(data, epochs=3, verbose=0, validation_data=hotpack.keras.PyDataset(loader(shuffle=False)))
wanted = sum(float(s.image.astype(np.float64).sum()) / 255 for s in ds)
totals = [v for k, values in history.history.items() for v in values if "sum" in k]
print(all(abs(v - wanted) < wanted * 1e-4 for v in totals), len(totals) >= 3)
""",
        ),
        golden_pack("bits"),
    )
    assert text == "True True\n"


def test_evaluate_and_predict(run):
    framework("jax")
    text = run(
        program(
            "jax",
            """
print(model.predict(hotpack.keras.PyDataset(loader(shuffle=False), transform=lambda x, y: x), verbose=0).shape, np.isfinite(model.evaluate(data, verbose=0)))
try: hotpack.keras.PyDataset([1])
except hotpack.UsageError as error: print(error)
""",
        ),
        golden_pack("bits"),
    )
    assert text == "(24, 10, 12, 11) True\nloader is a list; give a hotpack.Loader\n"


@pytest.mark.parametrize("backend", ["jax", "tensorflow"])
def test_validation_counts_each_sample_once(run, backend):
    """17 samples in batches of 16 give the loss and the accuracy of one batch of 17."""
    framework(backend)
    text = run(
        program(
            backend,
            """
ds, image = hotpack.open(*[sys.argv[2]] * 6).subset(range(17)), hotpack.Image("float32")
for label, loss in ((hotpack.OneHot("float32"), "categorical_crossentropy"), (hotpack.Ids("int32"), "sparse_categorical_crossentropy")):
    keras.utils.set_random_seed(3)
    net = keras.Sequential([keras.layers.Input((8, 12, 3)), keras.layers.Conv2D(3, 3, padding="same", activation="softmax")])
    net.compile("sgd", loss, metrics=["accuracy"], weighted_metrics=["accuracy"])
    def kept(**options):
        return hotpack.Loader(ds, **{"batch_size": 16, "shuffle": False, "last_batch": "keep", "image": image, "label": label, **options})
    def data(transform=None):
        return hotpack.keras.PyDataset(kept(), transform=transform)
    def weighted(x, y):
        return x, y, 1 + x[..., 0]
    x, y = ds.read(range(17), image=image, label=label)
    def wanted(sample_weight=None):
        return net.evaluate(x, y, sample_weight=sample_weight, batch_size=17, verbose=0)
    def close(found, wanted):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5)
    close(net.evaluate(data(), verbose=0), wanted())
    close(net.evaluate(data(weighted), verbose=0), wanted(weighted(x, y)[2]))
    ranks = [net.evaluate(hotpack.keras.PyDataset(kept(batch_size=None, global_batch_size=15, rank=rank, world_size=2)), verbose=0) for rank in (0, 1)]
    close(np.average(ranks, axis=0, weights=(8, 9)), wanted())  # 7 and 1 samples, 8 and 1
    if keras.backend.backend() == "tensorflow":
        import hotpack.tf
        close(net.evaluate(hotpack.tf.dataset(kept()), verbose=0), wanted())
assert net.predict(data(lambda x, y: x), verbose=0).shape == (17, 8, 12, 3)
history = net.fit(data(), validation_data=data(), epochs=2, verbose=0).history
close([history["val_loss"][-1], history["val_accuracy"][-1]], wanted()[:2])
if keras.backend.backend() == "tensorflow":
    assert len(net.fit(hotpack.tf.dataset(kept()), epochs=2, verbose=0).history["loss"]) == 2
try: hotpack.keras.PyDataset(kept(last_batch="pad"))
except hotpack.UsageError as error: print(error)
""",
        ),
        golden_pack("bits"),
        golden_pack("zstd"),
    )
    assert text == 'last_batch="pad" adds empty rows, which Keras would count as samples; open the loader with last_batch="keep"\n'


TRAIN = """
import json
steps = []
def network(built=True):
    layers = [keras.layers.Input((1,))] if built else []
    net = keras.Sequential([*layers, keras.layers.Dense(1)])
    net.compile("sgd", "mse", run_eagerly=True)
    inner = net.train_step
    def train_step(*arguments):
        data = arguments[-1]
        steps.append(int(np.asarray(data[0])[0, 0]))
        return inner(*arguments)
    net.train_step = train_step
    return net
class Noted(hotpack.keras.PyDataset):
    def __getitem__(self, index):
        with self._turn: batch = self._next()
        return np.full((4, 1), batch.epoch * 100 + batch.step, "float32"), np.zeros((4, 1), "float32")
def refused(call):
    try: call()
    except hotpack.UsageError as error: return str(error)
    except Exception as error: assert "UsageError" in str(error), error; return str(error)
    return None
"""

RESUME = TRAIN + """
class Stop(Exception): pass
def train(state, stop_after=None, built=True):
    net = network(built)
    data = Noted(loader(resume=state))
    saved = []
    def save(model, state):
        assert model is net
        saved.append(json.loads(json.dumps(state)))
        if stop_after is not None and len(saved) == stop_after: raise Stop
    position = hotpack.keras.Position(data, save)
    try:
        for arguments in data.rest(epochs=3):
            net.fit(data, verbose=0, callbacks=[position], **arguments)
    except Stop: pass
    assert saved[-1] == position.state_dict()
    return saved[-1]
"""


@pytest.mark.parametrize("backend", ["jax", "tensorflow", "torch"])
def test_a_run_that_stopped_anywhere_trains_the_same_batches(run, backend):
    framework(backend)
    text = run(
        program(
            backend,
            RESUME
            + """
last = train(None)
wanted, steps = steps, []
assert wanted == [epoch * 100 + step for epoch in range(3) for step in range(6)], wanted
assert last == {**loader().state_dict(), "epoch": 3}
for stop in (1, 4, 5, 6, 7, 17):
    steps = []
    state = train(None, stop, built=stop % 2 == 1)
    train(state, built=stop % 2 == 0)
    assert steps == wanted, (stop, steps)
state, steps = None, []
for _ in range(18): state = train(state, 1)  # stops after every batch
assert steps == wanted, steps
print(list(hotpack.keras.PyDataset(loader(resume=state)).rest(3)), list(hotpack.keras.PyDataset(loader()).rest(3)))
""",
        ),
        golden_pack("bits"),
    )
    assert text == "[] [{'initial_epoch': 0, 'epochs': 3}]\n"


def test_a_loader_in_the_middle_of_an_epoch_needs_rest(run):
    framework("jax")
    text = run(
        program(
            "jax",
            """
begun = loader(); iterator = iter(begun); next(iterator); next(iterator)
data = hotpack.keras.PyDataset(loader(resume=begun.state_dict()))
try: model.fit(data, epochs=2, verbose=0)
except hotpack.UsageError as error: print(error)
try: hotpack.keras.Position(data, every=0)
except hotpack.UsageError as error: print(error)
print(len(data))
for arguments in data.rest(2):
    print(arguments, len(data))
    model.fit(data, verbose=0, **arguments)
print(len(data))
""",
        ),
        golden_pack("bits"),
    )
    assert text.splitlines() == [
        "the loader stands after step 1 of epoch 0: call fit for each of rest(epochs)",
        "every is 0; it must be 1 or more",
        "6",
        "{'initial_epoch': 0, 'epochs': 1} 4",
        "{'initial_epoch': 1, 'epochs': 2} 6",
        "6",
    ]


BACKENDS = pytest.mark.parametrize("backend", ["jax", "tensorflow", "torch"])


@BACKENDS
def test_short_epochs_are_refused_and_train_no_batch_twice(run, backend):
    framework(backend)
    text = run(
        program(
            backend,
            TRAIN
            + """
for length in (1, 3, 5):
    for built in (True, False):
        for warm in (True, False):
            steps.clear()
            data, net = Noted(loader()), network(built)
            if warm: net.fit(data, verbose=0)
            first = len(steps)
            assert "steps_per_epoch" in refused(lambda: net.fit(data, steps_per_epoch=length, epochs=first // 6 + 3, initial_epoch=first // 6, verbose=0)), (length, built, warm)
            assert len(set(steps)) == len(steps) and steps[first] == first // 6 * 100, steps

steps.clear()
data, net = Noted(loader()), network()
for epoch in range(3): net.fit(data, steps_per_epoch=1, initial_epoch=epoch, epochs=epoch + 1, verbose=0)
assert steps == [0, 100, 200], steps

steps.clear()
data = Noted(loader())
for built in (True, False, True): network(built).fit(data, verbose=0)
assert steps == [epoch * 100 + step for epoch in range(3) for step in range(6)], steps
net = network()
for _ in range(2): assert np.isfinite(net.evaluate(data, steps=2, verbose=0))
""",
        ),
        golden_pack("bits"),
    )
    assert text == ""


@BACKENDS
def test_a_position_is_where_the_run_goes_on(run, backend):
    framework(backend)
    text = run(
        program(
            backend,
            TRAIN
            + """
saved = []
def places(): return [(state["epoch"], state["samples"] // 4) for state in saved]
data = Noted(loader()); net = network()
position = hotpack.keras.Position(data, lambda model, state: saved.append(state), every=5)
assert "steps_per_epoch=3 cuts" in refused(lambda: net.fit(data, steps_per_epoch=3, epochs=3, callbacks=[position], verbose=0))
assert steps == [] and saved == []
net.fit(data, steps_per_epoch=3, epochs=1, callbacks=[position], verbose=0)
assert steps == [0, 1, 2] and places() == [(0, 3)]
if refused(lambda: net.fit(data, callbacks=[position], verbose=0)) is None: raise SystemExit("went on elsewhere")
assert steps == [0, 1, 2], steps
data = Noted(loader(resume=saved[-1]))
position = hotpack.keras.Position(data, lambda model, state: saved.append(state), every=5)
for arguments in data.rest(2): net.fit(data, callbacks=[position], verbose=0, **arguments)
assert steps == [0, 1, 2, 3, 4, 5, 100, 101, 102, 103, 104, 105], steps
assert places() == [(0, 3), (1, 0), (1, 5), (2, 0)], places()
""",
        ),
        golden_pack("bits"),
    )
    assert text == ""


def test_a_state_after_the_last_batch_begins_the_next_epoch(run):
    framework("jax")
    text = run(
        program(
            "jax",
            TRAIN
            + """
from itertools import islice
begun = loader(); list(islice(begun, len(begun)))
for state in (begun.state_dict(), None):
    steps.clear()
    data = Noted(loader(resume=state) if state else begun)
    position = hotpack.keras.Position(data)
    print(len(data), position.state_dict()["epoch"], position.state_dict()["samples"])
    for arguments in data.rest(2):
        print(arguments, len(data))
        network().fit(data, verbose=0, callbacks=[position], **arguments)
    assert steps == [100, 101, 102, 103, 104, 105], steps
    assert position.state_dict()["epoch"] == 2
""",
        ),
        golden_pack("bits"),
    )
    assert text == "6 1 0\n{'initial_epoch': 1, 'epochs': 2} 6\n" * 2


def test_the_rest_of_an_epoch_cannot_be_skipped(run):
    framework("jax")
    text = run(
        program(
            "jax",
            TRAIN
            + """
begun = loader(); iterator = iter(begun); next(iterator); next(iterator)
data = Noted(loader(resume=begun.state_dict()))
print(refused(lambda: list(data.rest(3))))
assert refused(lambda: list(data.rest(1))) and refused(lambda: network().fit(data, epochs=3, verbose=0))
assert steps == [] and data._place() == (0, 2)
def fit_more():
    for arguments in data.rest(3): network().fit(data, epochs=3, verbose=0)
print(refused(fit_more))
assert steps == [2, 3, 4, 5], steps
for arguments in data.rest(2): network().fit(data, verbose=0, **arguments)
assert steps == [2, 3, 4, 5, 100, 101, 102, 103, 104, 105], steps

steps.clear()
data = Noted(loader(resume=begun.state_dict()))
def cut():
    for arguments in data.rest(2): network().fit(data, steps_per_epoch=2, verbose=0, **arguments)
assert "was not trained" in refused(cut) and steps == [2, 3]
""",
        ),
        golden_pack("bits"),
    )
    assert text.splitlines() == [
        "the rest of epoch 0, from step 2 on, was not trained: call fit with each of rest(epochs) before you take the next, without steps_per_epoch",
        "what is left of the epoch is trained: call fit(**arguments) for each of rest(epochs), with its initial_epoch and epochs",
    ]


WEIGHTED = """
import sys
import numpy as np, keras, hotpack, hotpack.keras
def first(folder, weights, label, **options):
    ds = hotpack.open(folder)
    loader = hotpack.Loader(ds, 2, shuffle=False, image=hotpack.Image("float32"), label=label, **options)
    x, y, w = hotpack.keras.PyDataset(loader, class_weights=weights)[0]
    samples = [ds[0], ds[1]]
    return y, w, samples
def refused(action):
    try: action()
    except hotpack.UsageError as error: print(error)
    else: print("accepted")
"""


def test_class_weights_weigh_every_pixel(run):
    """Ids and one-hot labels of all layouts give the weight of the pixel's class, and 0 where it has none."""
    framework("jax")
    text = run(
        (
            "jax",
            WEIGHTED
            + """
weights = np.arange(2, 13, dtype=np.float32)
for label in (hotpack.Ids("int32"), hotpack.Ids("int64", ignore_index=250), hotpack.Ids("uint8"), hotpack.OneHot("float32"), hotpack.OneHot("uint8", "NCHW"), hotpack.OneHot("float32", "NCHW", ignore_channel=True), hotpack.OneHot("float32", ignore_channel=True)):
    y, w, samples = first(sys.argv[1], list(weights), label)
    ids = np.stack([sample.ids("int64", -1) for sample in samples])
    assert (ids < 0).any() and (ids >= 0).any()
    assert w.dtype == np.float32 and np.array_equal(w, np.where(ids < 0, 0, weights[ids])), label
y, w, samples = first(sys.argv[2], [3, 5], hotpack.Ids("int32"))
assert np.array_equal(w, [[3, 5][int(sample.label)] for sample in samples]), w
y, w, samples = first(sys.argv[2], np.array([np.nan, 5]), hotpack.OneHot("float32"))
assert np.array_equal(w, [[0, 5][int(sample.label)] for sample in samples]), w
print("equal")
""",
        ),
        golden_pack("bits"),
        golden_pack("class_folders"),
    )
    assert text == "equal\n"


def test_class_weights_that_cannot_be_are_refused(run):
    framework("jax")
    text = run(
        (
            "jax",
            WEIGHTED
            + """
loader = hotpack.Loader(sys.argv[1], 2, image=hotpack.Image("float32"))
refused(lambda: hotpack.keras.PyDataset(loader, class_weights=[1, 2]))
refused(lambda: hotpack.keras.PyDataset(loader, class_weights=np.ones((11, 1))))
refused(lambda: hotpack.keras.PyDataset(loader, class_weights=np.ones(11), transform=lambda x, y: (x, y)))
refused(lambda: first(sys.argv[1], np.ones(11), hotpack.Bits()))
refused(lambda: first(sys.argv[2], [], None))
refused(lambda: hotpack.keras.PyDataset(hotpack.open(sys.argv[1])))
""",
        ),
        golden_pack("bits"),
        golden_pack("unlabelled"),
    )
    assert text.splitlines() == [
        "class_weights has the shape [2]; it must have one number for each of the 11 classes",
        "class_weights has the shape [11, 1]; it must have one number for each of the 11 classes",
        "class_weights and transform are both set; let the transform return (images, labels, weights)",
        "class_weights need labels as hotpack.Ids or hotpack.OneHot",
        "class_weights need a data set with labels",
        "loader is a Dataset; give a hotpack.Loader",
    ]


@pytest.mark.parametrize("backend", ["jax", "tensorflow"])
def test_fit_trains_with_class_weights(run, backend):
    """The loss is that of Keras with sample_weight; with the weights of one class, other pixels change nothing."""
    framework(backend)
    text = run(
        program(
            backend,
            """
weights = np.zeros(ds.num_classes, np.float32); weights[[1, 2]] = 3, 1
def net():
    keras.utils.set_random_seed(3)
    made = keras.Sequential([keras.layers.Input((10, 12, 3)), keras.layers.Conv2D(11, 1)])
    made.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=-100))
    return made
x, y = ds.read(range(24), image=hotpack.Image("float32"), label=hotpack.Ids("int32"))
w = np.where((y == 1), 3, np.where(y == 2, 1, 0)).astype(np.float32)
def loader(): return hotpack.Loader(ds, 24, shuffle=False, image=hotpack.Image("float32"), label=hotpack.Ids("int32"), prefetch_batches=6)
found = net().evaluate(hotpack.keras.PyDataset(loader(), class_weights=weights), verbose=0)
print(w.any(), np.isclose(found, net().evaluate(x, y, sample_weight=w, batch_size=24, verbose=0), rtol=1e-5))
trained = net()
trained.fit(hotpack.keras.PyDataset(loader(), class_weights=weights), epochs=2, verbose=0)
print(np.isfinite(trained.evaluate(x, y, verbose=0)))
""",
        ),
        golden_pack("bits"),
    )
    assert text == "True True\nTrue\n"
