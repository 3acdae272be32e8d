"""A bundle as a folder or an archive: written with the same bytes each time, read without trusting its names."""

from __future__ import annotations

import io
import os
import re
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from m4review.campaigns.bundleparts import SUMS
from m4review.campaigns.lineage import sha256
from m4review.errors import CampaignError
from m4review.textfile import write_bytes

MOST_FILES = 200_000
MOST_BYTES = 4 * 2**30
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time that every member of an archive carries."""
SUM_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")


def sums_of(files: Mapping[str, bytes]) -> bytes:
    """The list of checksums, as ``sha256sum --check`` reads it."""
    return "".join(f"{sha256(data)}  {name}\n" for name, data in sorted(files.items())).encode()


def read_sums(data: bytes) -> dict[str, str]:
    """File → checksum.

    Raises:
        CampaignError: a line is none of a list of checksums, or a file is listed twice.
    """
    sums: dict[str, str] = {}
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        match = SUM_LINE.fullmatch(line)
        if match is None or match[2] in sums:
            what = "no line of a list of checksums" if match is None else f"{match[2]} is listed twice"
            raise CampaignError(what, where=SUMS, line=number, expected="<SHA-256>  <file>, each file once")
        sums[match[2]] = match[1]
    return sums


def write_bundle(files: Mapping[str, bytes], out: Path) -> None:
    """Write a folder, or an archive where ``out`` ends in ``.zip``; it is there whole or not at all.

    Raises:
        CampaignError: something is there already, or it cannot be written.
        TextFileError: the archive cannot be written.
    """
    if out.is_symlink() or (out.exists() and not (out.is_dir() and not any(out.iterdir()))):
        raise CampaignError("something is there already", where=out, fix="name another place, or remove it first")
    if out.suffix.lower() == ".zip":
        write_bytes(out, zipped(files))
        return
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
        try:
            for name, data in files.items():
                path = place / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            place.chmod(0o755)
            if out.is_dir():
                out.rmdir()
            os.replace(place, out)  # noqa: PTH105 - a folder, whole
        finally:
            shutil.rmtree(place, ignore_errors=True)
    except OSError as error:
        raise CampaignError(f"the bundle cannot be written ({error.strerror})", where=out) from None


def zipped(files: Mapping[str, bytes]) -> bytes:
    """An archive with the same bytes for the same files, whatever the clock says."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in sorted(files.items()):
            member = zipfile.ZipInfo(name, EARLIEST)
            member.external_attr = (stat.S_IFREG | 0o644) << 16
            member.create_system = 3
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, data)
    return buffer.getvalue()


def read_bundle(path: Path) -> dict[str, bytes]:
    """Every file of a bundle by its name in it; nothing is written, and no link is followed.

    Raises:
        CampaignError: there is none, it holds a link, a special file or a name that leaves it, it is larger than any
            bundle, or it cannot be read.
    """
    if path.is_symlink() or not path.exists():
        raise CampaignError("no bundle is there", where=path, expected="a folder or a .zip that bundle wrote")
    try:
        files = _read_folder(path) if path.is_dir() else _read_archive(path)
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else "it is no archive, or is damaged"
        raise CampaignError(f"the bundle cannot be read: {said}", where=path) from None
    if SUMS not in files:
        raise CampaignError(
            f"no bundle: it has no {SUMS}", where=path, expected="what 'm4review campaign bundle' wrote"
        )
    return files


def _read_folder(root: Path) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    total = 0
    for folder, names, inside in os.walk(root, onerror=_raise, followlinks=False):
        for name in sorted((*names, *inside)):
            path = Path(folder) / name
            status = path.lstat()
            where = path.relative_to(root).as_posix()
            if stat.S_ISDIR(status.st_mode):
                continue
            if not stat.S_ISREG(status.st_mode):
                raise CampaignError("a link or special file; a bundle holds plain files", where=where)
            total += status.st_size
            _require_bounded(len(files), total, root)
            files[where] = path.read_bytes()
    return files


def _read_archive(path: Path) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        _require_bounded(len(members), sum(member.file_size for member in members), path)
        for member in members:
            kind = stat.S_IFMT(member.external_attr >> 16)
            if member.is_dir():
                continue
            if not _is_inside(member.filename) or kind not in {0, stat.S_IFREG}:
                raise CampaignError(
                    "a link, or a name that leaves the bundle", where=repr(member.filename), expected="plain files"
                )
            if member.filename in files:
                raise CampaignError("a file is there twice", where=member.filename)
            with archive.open(member) as stream:
                data = stream.read(member.file_size + 1)
            if len(data) != member.file_size:
                raise CampaignError("a file is not as long as the archive says", where=member.filename)
            files[member.filename] = data
    return files


def _is_inside(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return bool(parts) and not (
        name.startswith("/")
        or ".." in parts
        or "\\" in name
        or "\0" in name
        or ":" in parts[0]
        or name != "/".join(parts)
    )


def _require_bounded(count: int, size: int, where: Path) -> None:
    if count > MOST_FILES or size > MOST_BYTES:
        raise CampaignError(
            "larger than any bundle",
            where=where,
            expected=f"at most {MOST_FILES:,} files and {MOST_BYTES / 2**30:.0f} GiB unpacked",
        )


def _raise(error: OSError) -> None:
    raise error
