"""The bench of a few tokens: numbers typed by hand, shown in every chapter as any reading.

`typed.py` reads what comes from a browser, a link or an API call, `presets.py` the file of
presets, `panel.py` wires the panel; never torch.
"""
