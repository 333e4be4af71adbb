"""From messages to candidates: gate, rules, model, evidence."""
