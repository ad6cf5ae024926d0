"""What must be shown before absence may be said: the two tables of rules, and the checks behind them."""
