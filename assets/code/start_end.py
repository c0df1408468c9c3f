import numpy as np

start_logits = np.array([1.5, -6.2, 5.9, -0.2])  # [CLS], three words
P = np.exp(start_logits) / np.exp(start_logits).sum()
print(P.round(3), P.sum())
