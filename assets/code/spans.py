import numpy as np

start, end, longest = np.array([1.0, 2.0, 6.0]), np.array([5.0, 2.0, 1.0]), 30
scores = start[:, None] + end[None, :]  # one row a start, one column an end
i, j = np.indices(scores.shape)
allowed = (i <= j) & (j - i < longest)
best = np.unravel_index(np.where(allowed, scores, -np.inf).argmax(), scores.shape)
print(scores, best, scores[best])
