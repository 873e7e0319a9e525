"""Drawings as SVG: lines, planes, trees, bars, heat maps, and curves."""
