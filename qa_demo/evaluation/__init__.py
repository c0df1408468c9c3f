"""From lines of predictions to a report: slices, comparison, one file of HTML."""
