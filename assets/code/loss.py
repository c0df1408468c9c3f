import numpy as np

start = np.array([0.5, 2.0, 1.0, -1.0])  # start logits of [CLS] and three words
end = np.array([0.0, -1.0, 1.5, 2.5])
i, j = 1, 2  # where people marked the right start and the right end


def log_p(logits):  # log of the softmax: every position is in the sum
    return logits - np.log(np.exp(logits).sum())


L = -(log_p(start)[i] + log_p(end)[j]) / 2
score = start[i] + end[j]
constant = np.log(np.exp(start).sum()) + np.log(np.exp(end).sum())
print("L", L, " 2 L", 2 * L, " constant - score", constant - score)

y = np.eye(4)[i]
pull = (y - np.exp(log_p(start))) / 2  # minus the gradient of L
print("pull on the start logits", pull.round(3), "in sum", pull.sum().round(12))
