"""What one visitor's session and the whole server keep while the page runs: queue, locks, caches,
the door for errors.

Nothing here knows a chapter, draws, or imports torch.
"""
