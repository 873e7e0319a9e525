"""A column divided into one cell for each declared value."""

from dataclasses import dataclass

from privpac.data.domains.domain import Domain


@dataclass(frozen=True)
class EachValue:
    domain: Domain

    @property
    def size(self):
        return int(self.domain.size)

    def numbers_of(self, codes):
        return self.domain.numbers(codes)
