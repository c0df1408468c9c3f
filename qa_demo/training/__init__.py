"""Commands that train, measure and export the bundled models and what is stored of them: they alone
write the folders of models, readings and replay in `assets`. The page imports nothing of this room.
"""
