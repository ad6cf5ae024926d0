"""docaudit inside other programs: adapters, assistants, HTTP."""
