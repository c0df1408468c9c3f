from itertools import product

import numpy as np

W = np.array([[2.0, 1.0], [-1.0, 3.0], [0.5, -1.0]])  # 3 x 384 in the reader
h, b = np.array([1.2, 0.8]), np.array([0.1, 0.0, 0.3])  # 384 and 3 numbers
p = np.exp(W @ h + b) / np.exp(W @ h + b).sum()
t = np.array([2 / 3, 0, 1 / 3])  # three annotators say B, B, O
print("p", p.round(3), "loss", -(t * np.log(p)).sum().round(3))

# the emperor Tr·ajan had a (Danube): how likely is it that Tr is B, of the possible taggings?
P = [(0.045, 0.000, 0.955), (0.074, 0.017, 0.909), (0.931, 0.069, 0.001)]
P += [(0.001, 0.991, 0.008), (0.000, 0.007, 0.993), (0.000, 0.000, 1.000)]
weight = dict.fromkeys("BIO", 0.0)
for tags in product("BIO", repeat=6):
    if all(tag != "I" or (k and tags[k - 1] != "O") for k, tag in enumerate(tags)):
        weight[tags[2]] += np.prod([P[k]["BIO".index(tag)] for k, tag in enumerate(tags)])
print("alone", P[2][0], "possible", weight["B"] / sum(weight.values()))
