"""Drawings as SVG: lines, decision trees, scorecards, mistake trees, tree orders, bars, heat maps, and curves."""
