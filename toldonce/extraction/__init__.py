"""Messages to candidates: gate, rules, model, evidence."""
