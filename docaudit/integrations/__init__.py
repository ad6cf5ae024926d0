"""Other people's tools that call docaudit: one room for each, which needs the extra of that name and knows no other."""
