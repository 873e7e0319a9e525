"""Drawings as SVG: lines, planes, decision trees, mistake trees, tree orders, bars, heat maps, and curves."""
