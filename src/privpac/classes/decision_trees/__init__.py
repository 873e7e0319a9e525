"""Decision trees and scorecards over tests on declared columns, and their sentences."""
