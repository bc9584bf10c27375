"""hotpack.keras with the real Keras on JAX and on TensorFlow: each sample once an epoch."""

import pytest
from conftest import framework, golden_pack

framework("keras")

PROGRAM = """
import os, sys
os.environ["KERAS_BACKEND"] = {backend!r}
import numpy as np, keras, hotpack, hotpack.keras
ds = hotpack.open(*[sys.argv[1]] * 8)
def loader(**options):
    return hotpack.Loader(ds, 4, seed=5, image=hotpack.Image("float32"), label=hotpack.Ids("int32"), slots=6, **options)
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
    return PROGRAM.format(backend=backend, body=body)


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
        warns=True,
        seconds=300,
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
        warns=True,
        seconds=300,
    )
    assert text == "True True\n"


@pytest.mark.parametrize("backend", ["jax", "tensorflow"])
def test_a_loader_in_the_middle_of_an_epoch_continues_without_a_gap(run, backend):
    """Whatever Keras takes twice to try it, the batches of three epochs from there on follow each other."""
    framework("jax" if backend == "jax" else "tensorflow")
    text = run(
        program(
            backend,
            """
one = loader()
every = [round(float(x.astype(np.float64).sum()), 6) for _ in range(4) for x, y in one]
middle = loader(); middle.seek(0, 4)
seen.clear()
model.fit(hotpack.keras.PyDataset(middle, transform=noted), epochs=3, verbose=0)
first = max(i for i, total in enumerate(seen) if total == every[4])  # after all trials
print(seen[first:] == every[4:22])
""",
        ),
        golden_pack("bits"),
        warns=True,
        seconds=300,
    )
    assert text == "True\n"


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
        warns=True,
        seconds=300,
    )
    assert text == "(24, 10, 12, 11) True\nloader is a list; give a hotpack.Loader\n"
