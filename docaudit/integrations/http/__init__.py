"""docaudit over HTTP."""
