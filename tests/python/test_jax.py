"""hotpack.jax with the real JAX."""

import numpy as np
import pytest
from conftest import framework, golden_pack

import hotpack

jax = framework("jax")
import hotpack.jax as hpj  # noqa: E402


@pytest.fixture(scope="module")
def big():
    return hotpack.open(*[golden_pack("bits")] * 8)


def test_arrays_equal_those_of_numpy(big):
    for a, b in zip(hpj.Loader(big, 4, seed=3), hotpack.Loader(big, 4, seed=3, image=hotpack.Image("float32"), label=hotpack.Ids("int32"))):
        assert isinstance(a.image, jax.Array) and a.image.dtype == "float32" and a.label.dtype == "int32"
        assert np.array_equal(a.image, b.image) and np.array_equal(a.label, b.label)


@pytest.mark.parametrize("form", [hotpack.OneHot("float16", "NCHW"), hotpack.OneHot("bfloat16"), hotpack.Ids("uint8"), hotpack.Bits()])
def test_every_form_of_label_is_an_array(big, form):
    x, y = next(iter(hpj.Loader(big, 2, image=hotpack.Image("bfloat16"), label=form, shuffle=False)))
    wanted = next(iter(hotpack.Loader(big, 2, label=form, shuffle=False))).label
    assert x.dtype == jax.numpy.bfloat16 and np.array_equal(np.asarray(y, np.float32), wanted.astype(np.float32))


def test_arrays_keep_their_batch(big):
    loader = hpj.Loader(big, 2)
    iterator = iter(loader)
    held = next(iterator).image
    wanted = np.array(held)
    for batch in iterator:
        batch.image.block_until_ready()
    assert np.array_equal(held, wanted)


def test_a_training_loop_sees_every_sample(big):
    @jax.jit
    def step(weights, x, y):
        return weights - 1e-3 * jax.grad(lambda w: ((x * w).sum(-1) - y).mean())(weights)

    weights, loader = jax.numpy.ones(3), hpj.Loader(big, 4, seed=1)
    rows = []
    for _ in range(2):
        for batch in loader:
            weights = step(weights, batch.image, batch.label)
            rows += batch.indices.tolist()
    assert sorted(rows) == sorted(list(range(24)) * 2) and np.isfinite(weights).all()


def test_the_rank_is_that_of_jax(big):
    loader = hpj.Loader(big, 2, rank="jax")
    assert (loader.rank, loader.world_size) == (0, 1) and "(jax)" in repr(loader)


def test_a_jax_without_cuda_is_told_at_opening(big, monkeypatch):
    cpu = jax.devices("cpu")[0]

    def fail(platform=None):
        raise RuntimeError(f"Unknown backend {platform}")

    monkeypatch.setattr(jax, "devices", fail)
    for device in (0, "cuda:0"):
        with pytest.raises(hotpack.UsageError, match=r"this JAX has no CUDA .* install jax\[cuda12\], or leave out device") as told:
            hpj.Loader(big, 4, device=device)
        assert told.value.option == "device"
    for device in ("cpu", cpu):
        assert hpj.Loader(big, 4, device=device).device is None
