"""A class at the page: visitors with the page's events, and single-threaded twins."""
