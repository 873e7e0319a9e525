"""Steps that sanitizers share: choose noise, make noisy counts agree, fit weights to them, draw synthetic records."""
