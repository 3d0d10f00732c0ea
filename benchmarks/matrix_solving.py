"""How long the baseline of matrices takes to train: `python benchmarks/matrix_solving.py [PROBLEMS]`.

Made-up vectors of 384 numbers, problems of seven sentences and nine answers (2,700 for training where not said, and a
ninth as many for testing). The right answer is the mean of the context with noise. Prints seconds by the clock and of
the processor, epochs and the share of right choices.
"""

import sys
import time

import numpy as np

from pairwright.extras.matrices.network import NetworkSettings, Problems, train_and_choose

SIZE, N_CONTEXT, N_ANSWERS = 384, 7, 9


def main(n_train: int) -> None:
    generator = np.random.default_rng(0)
    n = n_train + n_train // 9
    context = generator.normal(size=(n, N_CONTEXT, SIZE))
    answers = generator.normal(size=(n, N_ANSWERS, SIZE)) / 2
    right = generator.integers(N_ANSWERS, size=n)
    answers[np.arange(n), right] += context.mean(axis=1) / 2
    vectors = np.concatenate([context.reshape(-1, SIZE), answers.reshape(-1, SIZE)]).astype(np.float32)
    rows = np.arange(len(vectors))
    problems = Problems(rows[: n * N_CONTEXT].reshape(n, N_CONTEXT), rows[n * N_CONTEXT :].reshape(n, N_ANSWERS), right)
    train, test = (Problems(*(part[places] for part in problems)) for places in (slice(n_train), slice(n_train, n)))
    began, processor = time.monotonic(), time.process_time()
    chosen, curve = train_and_choose(vectors, train, test, NetworkSettings(), seed=0)
    clock, processor = time.monotonic() - began, time.process_time() - processor
    print(
        f"{n_train:,} problems, {len(curve.training)} epochs: {clock:.0f} s by the clock, {processor:.0f} s of one core"
    )
    print(f"right {np.mean(chosen == test.right):.2f} of {len(test.right)}, chance {1 / N_ANSWERS:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2700)
