import numpy as np

blank, x = np.zeros((3, 2)), np.array([[1.0, 0.5], [0.2, -1.0], [0.6, 0.3]])  # three words
w = np.array([2.0, 1.0])


def score(x):
    return (x @ w).sum() ** 2 - 4


def gradient(x):  # of the score with respect to every word's vector
    return np.tile(2 * (x @ w).sum() * w, (len(x), 1))


steps = 20
on_the_way = [blank + (k + 0.5) / steps * (x - blank) for k in range(steps)]
shares = ((x - blank) * np.mean([gradient(y) for y in on_the_way], axis=0)).sum(axis=1)
print(shares, score(blank) + shares.sum(), score(x))
