import numpy as np

start, end = np.array([1.5, -6.0, 5.9, -0.2]), np.array([1.5, -4.0, -1.0, 6.2])  # [CLS], words
threshold, longest = 5.34, 30
spans = [(i, j) for i in range(1, 4) for j in range(i, min(4, i + longest))]
best = max(spans, key=lambda span: start[span[0]] + end[span[1]])
score, no_answer = start[best[0]] + end[best[1]], start[0] + end[0]
lead = no_answer - score
print(best, score.round(2), lead.round(2), "no answer" if lead > threshold else "answer")
