"""Language models, embedders and token counters: the protocols and what implements them."""
