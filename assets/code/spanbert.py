import numpy as np

rng, d = np.random.default_rng(0), 4  # 384 in the model


def layer(x, W):  # Linear, GeLU (its tanh form), LayerNorm over this one vector
    x = W @ x
    x = 0.5 * x * (1 + np.tanh(0.79788 * (x + 0.044715 * x**3)))
    return (x - x.mean()) / x.std()


before, after, position = rng.normal(size=d), rng.normal(size=d), rng.normal(size=2)
h0 = np.concatenate([before, after, position])
y = layer(layer(h0, rng.normal(size=(d, 2 * d + 2))), rng.normal(size=(d, d)))
words = rng.normal(size=(3, d))  # one vector for each word of the vocabulary
P = np.exp(words @ y) / np.exp(words @ y).sum()
print("guesses:", P.round(3), " L_SBO of word 0:", -np.log(P[0]).round(2))
