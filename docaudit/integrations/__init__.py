"""Other people's tools that call docaudit; each needs the extra of its name and knows no other."""
