"""Mechanisms, learners, and releases that are broken on purpose: an audit that passes one of them is itself broken."""
