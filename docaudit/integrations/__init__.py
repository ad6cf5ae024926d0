"""docaudit inside other people's tools; each needs an extra of its own, and loads nothing of it before it is used."""
