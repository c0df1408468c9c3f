"""Records in, pictures as plain data out."""
