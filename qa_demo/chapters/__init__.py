"""The chapters, one file each: numbers, sentences and figures, as blocks."""
