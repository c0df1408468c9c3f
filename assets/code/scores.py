import numpy as np

S, b_S = np.array([0.5, -1.0, 2.0]), -0.14  # one vector for every question and text
h = np.array([1.0, -0.5, 2.5])  # "Georg", read with "Who designed the towers?"
h2 = np.array([-1.0, 0.5, -2.5])  # "Georg", read with "When did trains begin?"
for hidden in (h, h2):
    print("products", S * hidden, "start logit", S @ hidden + b_S)
