"""ToldOnce as other libraries expect a memory: one module each, loaded only by those who use it."""
