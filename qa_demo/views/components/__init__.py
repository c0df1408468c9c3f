"""Parts of the page that several chapters share."""
