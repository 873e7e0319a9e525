"""Files in an object store: ``s3://bucket/flights.parquet``, or a folder of Parquet files there.

Arrow's file system reads them, and DuckDB counts their records as they arrive; no file is copied to this machine.
Credentials and the region come from the environment (``AWS_ACCESS_KEY_ID``, …). The end of the address names a store
that is not Amazon's: ``?endpoint_override=host:port&scheme=http``.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import IO, TYPE_CHECKING, cast

from privpac.data.files.headings import check_heading
from privpac.data.files.parquet_files import check_not_in_both, in_partitions, partitions
from privpac.refusals.refusal import InOtherWords, Refused

if TYPE_CHECKING:
    import ibis.expr.types as ir
    from ibis.backends.duckdb import Backend as DuckDB
    from pyarrow.fs import FileSystem

# Errors of Arrow are ValueErrors, as refusals are, and may quote an address or a record.
WITHOUT_QUOTES = InOtherWords(lambda error: error if isinstance(error, Refused) else OSError(), ValueError)


@dataclass(frozen=True)
class StoredFile:
    """A file of a store, which each reading opens anew."""

    store: FileSystem
    path: str

    def open(self) -> IO[bytes]:
        """The bytes of the file; those of a file whose name ends with .gz are unpacked."""
        stream = self.store.open_input_stream(self.path, compression=None)
        return cast(IO[bytes], gzip.open(stream) if self.path.lower().endswith(".gz") else stream)


@dataclass(frozen=True)
class StoredFiles:
    """The files of a ``store`` at these ``paths``, in ``folder`` or below it if there is one."""

    store: FileSystem
    paths: Sequence[str]
    folder: str | None = None

    @classmethod
    @WITHOUT_QUOTES
    def at(cls, address: str) -> StoredFiles:
        """The file at this address, or the Parquet files of the folder there."""
        fs = import_module("pyarrow.fs")
        store, path = fs.FileSystem.from_uri(address)
        path = path.rstrip("/")
        if store.get_file_info(path).type == fs.FileType.File:
            return cls(store, [path])
        infos = store.get_file_info(fs.FileSelector(path, recursive=True))  # FileNotFoundError if there is no folder
        files = (info.path for info in infos if info.type == fs.FileType.File and info.path.endswith(".parquet"))
        files_of_folder = in_partitions(files, path)
        if not files_of_folder:
            none = "no file ends with .parquet in this folder of the store; name a folder that has some"
            raise Refused("source", none)
        return cls(store, files_of_folder, path)

    @property
    def files(self) -> list[StoredFile]:
        """The files, each to be opened by itself."""
        return [StoredFile(self.store, path) for path in self.paths]

    @WITHOUT_QUOTES
    def records(self, connection: DuckDB) -> ir.Table:
        """The records of Parquet files, as an Ibis table of this connection to DuckDB."""
        arrow, dataset = import_module("pyarrow"), import_module("pyarrow.dataset")
        stored, *others = (dataset.dataset(path, filesystem=self.store, format="parquet").schema for path in self.paths)
        if not all(schema.equals(stored) for schema in others):
            differ = "the files store their columns differently; write them again with the same columns and types"
            raise Refused("source", differ)
        folder_names = partitions(self.paths, self.folder)
        check_heading(stored.names)
        check_not_in_both(stored.names, folder_names)
        folder_columns = arrow.schema([(name, arrow.string()) for name in folder_names])
        table = dataset.dataset(
            list(self.paths),
            schema=arrow.schema([*stored, *folder_columns]),
            filesystem=self.store,
            format="parquet",
            partitioning=dataset.partitioning(folder_columns, flavor="hive"),
            partition_base_dir=self.folder,
        )
        connection.con.register("records", table)
        return connection.table("records")
