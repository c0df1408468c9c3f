from itertools import product

import numpy as np

W = np.array([[2.0, 1.0], [-1.0, 3.0], [0.5, -1.0]])  # 3 x 384 in the reader
h, b = np.array([1.2, 0.8]), np.array([0.1, 0.0, 0.3])  # 384 and 3 numbers
p = np.exp(W @ h + b) / np.exp(W @ h + b).sum()
t = np.array([2 / 3, 0, 1 / 3])  # three annotators say B, B, O
print("p", p.round(3), "loss", -(t * np.log(p)).sum().round(3))

# Danish architect Georg Rot·ne . : how likely is it that Georg is B, of the possible taggings?
P = [(0.010, 0.114, 0.875), (0.002, 0.200, 0.798), (0.562, 0.358, 0.080)]
P += [(0.001, 0.965, 0.034), (0.001, 0.994, 0.005), (0.000, 0.060, 0.940)]
weight = dict.fromkeys("BIO", 0.0)
for tags in product("BIO", repeat=6):
    if all(tag != "I" or (k and tags[k - 1] != "O") for k, tag in enumerate(tags)):
        weight[tags[2]] += np.prod([P[k]["BIO".index(tag)] for k, tag in enumerate(tags)])
print("alone", P[2][0], "possible", weight["B"] / sum(weight.values()))
