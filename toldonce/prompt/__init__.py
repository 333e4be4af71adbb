"""From recalled memories to text in the prompt: rendering and placing."""
