"""Classes made of classes: rules on columns of a table, boolean functions of rules, unions, and conjunctions of
equalities."""
