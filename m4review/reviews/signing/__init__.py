"""Signatures: detached SSH signatures over the exact bytes of an event, and the keys that may give them."""

from m4review.reviews.signing.allowed import (
    AllowedKey,
    AllowedSigners,
    EmptyAllowedSignersError,
    MissingAllowedSignersError,
    UnreadableAllowedSignersError,
    parse_allowed_signers,
)
from m4review.reviews.signing.assurance import HARDWARE, OWN_KEY, UNSIGNED, Assurance, assurance_of
from m4review.reviews.signing.keys import KEYS_ENVIRONMENT, create_key, key_file, register_key, sign_event
from m4review.reviews.signing.program import NAMESPACE, SshKeygen

__all__ = [
    "HARDWARE",
    "KEYS_ENVIRONMENT",
    "NAMESPACE",
    "OWN_KEY",
    "UNSIGNED",
    "AllowedKey",
    "AllowedSigners",
    "Assurance",
    "EmptyAllowedSignersError",
    "MissingAllowedSignersError",
    "SshKeygen",
    "UnreadableAllowedSignersError",
    "assurance_of",
    "create_key",
    "key_file",
    "parse_allowed_signers",
    "register_key",
    "sign_event",
]
