"""The measured certificate: its exact law, its cost, and its chance of a miss."""

from fractions import Fraction

import pytest

from privpac.audit.exact import divergence
from privpac.mechanisms.measured_gap import MeasuredGap
from privpac.privacy.budget import Budget
