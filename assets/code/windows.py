import numpy as np

tokens, room, step, start = 123, 66, 34, 73  # a window holds 66 of the 123 tokens
begins = [0]
while begins[-1] + room < tokens:
    begins.append(begins[-1] + step)
for k, first in enumerate(begins, 1):
    last = min(first + room, tokens) - 1
    if first <= start <= last:
        print("window", k, "nearer edge:", min(start - first, last - start))


def softmax(x):
    return np.exp(x) / np.exp(x).sum()


windows = [  # logits of [CLS] and three words: starts, ends
    (np.array([3.0, 5.0, 0.0, -1.0]), np.array([3.0, 0.0, 5.0, 0.0])),
    (np.array([4.0, -4.0, -5.0, -5.0]), np.array([4.0, -5.0, -4.0, -5.0])),
]
for s, e in windows:  # the first holds the answer, the second says most surely: not here
    print("sum", s[1:].max() + e[1:].max(), "mean", (softmax(s).max() + softmax(e).max()) / 2)
