"""What the rules know of other languages than English, one module each: slots, and statements about oneself."""
