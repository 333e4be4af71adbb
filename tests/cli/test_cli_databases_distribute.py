"""`toldonce db distribute` says what it did, and why it does not."""
