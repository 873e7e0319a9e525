"""Pictures of trees: decision trees, mistake trees, and tree orders."""
