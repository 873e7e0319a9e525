"""Reference values of composition from Google's dp_accounting, for tests/privacy/accounting.

Runs in an environment of its own, made by ``make bench``, because dp-accounting pins packages that privpac does not:

    .envs/dp-accounting/bin/python benchmarks/crosscheck_dp_accounting.py

and writes tests/privacy/dp_accounting_values.json. Three accountants are asked:

    pld                     the PLD of (ε, δ), composed with itself k times: δ at ε_total. Losses are rounded up to
                            multiples of ``interval``, so a value is an upper bound, and exact where ε is a multiple;
                            floats and a fast Fourier transform add an error of either sign, below 1e-12.
    advanced_composition    [KOV15, Thm 3.3] on its own grid (k − 2i)ε: the least of those ε_total for a given δ_total.
                            ``error`` names what it raised instead.
    rdp                     ρ-zCDP by its Rényi divergences on a dense grid of orders: δ at ε, and ε at δ.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from dp_accounting import dp_event
from dp_accounting.pld import accountant, common, privacy_loss_distribution
from dp_accounting.rdp import rdp_privacy_accountant

VALUES = Path(__file__).parents[1] / "tests" / "privacy" / "dp_accounting_values.json"
ORDERS = 1 + np.geomspace(2e-2, 2e4, 40_001)

PLD = [  # ε, δ, k, ε_total, interval
    (1.0, 0.0, 2, 1.0, 1e-3),
    (1.0, 0.0, 100, 52.565, 1e-3),
    (0.1, 0.0, 100, 2.0, 1e-4),
    (0.1, 0.0, 100, 4.05, 1e-4),
    (0.5, 1e-7, 50, 12.25, 1e-3),
    (0.01, 0.0, 1000, 1.0, 1e-4),
    (0.01, 1e-9, 1000, 0.555, 1e-4),
    (0.0123456, 0.0, 500, 0.9, 1e-5),
]
ADVANCED = [  # ε, δ, k, δ_total
    (1.0, 0.0, 10, 1e-3),
    (1.0, 0.0, 100, 1e-6),
    (0.1, 0.0, 100, 1e-6),
    (0.1, 1e-8, 100, 1e-5),
    (0.5, 1e-7, 30, 1e-5),
    (1.0, 0.0, 600, 1e-6),
]
RDP = [  # ρ, ε, δ
    (0.02, 1.0, 1e-6),
    (1.25, 9.0, 1e-6),
    (0.125, 2.0, 1e-5),
    (1e-4, 0.08, 1e-9),
    (10.0, 40.0, 1e-4),
]


def pld(epsilon, delta, k, epsilon_total, interval):
    once = privacy_loss_distribution.from_privacy_parameters(
        common.DifferentialPrivacyParameters(epsilon, delta), value_discretization_interval=interval
    )
    return {"delta_total": once.self_compose(k).get_delta_for_epsilon(epsilon_total)}


def advanced(epsilon, delta, k, delta_total):
    try:
        once = common.DifferentialPrivacyParameters(epsilon, delta)
        return {"epsilon_total": accountant.advanced_composition(once, k, delta_total)}
    except OverflowError as error:
        return {"error": type(error).__name__}


def rdp(rho, epsilon, delta):
    account = rdp_privacy_accountant.RdpAccountant(ORDERS)
    account.compose(dp_event.ZCDpEvent(rho))
    return {"delta_at_epsilon": account.get_delta(epsilon), "epsilon_at_delta": account.get_epsilon(delta)}


def table(names, rows, ask):
    return [dict(zip(names, row, strict=True)) | ask(*row) for row in rows]


if __name__ == "__main__":
    values = {
        "dp-accounting": version("dp-accounting"),
        "made by": "benchmarks/crosscheck_dp_accounting.py",
        "pld": table(("epsilon", "delta", "k", "epsilon_total", "interval"), PLD, pld),
        "advanced_composition": table(("epsilon", "delta", "k", "delta_total"), ADVANCED, advanced),
        "rdp": table(("rho", "epsilon", "delta"), RDP, rdp),
    }
    VALUES.write_text(json.dumps(values, indent=2) + "\n", "utf-8")
