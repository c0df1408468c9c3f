"""What training lowers and what a step moves: losses, tags, gradient steps.

Records in, records out; a loss keeps its terms, weights and denominators.
Numpy and the standard library alone: no torch.
"""
