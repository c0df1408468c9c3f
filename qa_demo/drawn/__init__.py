"""Figures that chapters are drawn with, from plain values; no state, no model."""
