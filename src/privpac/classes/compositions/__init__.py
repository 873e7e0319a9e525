"""Classes made of classes: rules on columns, boolean functions of rules, unions, and conjunctions of equalities."""
