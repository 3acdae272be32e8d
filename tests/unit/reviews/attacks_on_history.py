"""Attacks through git, on the rules and on the keys; and hand-overs that leave something undecided."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attack_kinds import (
    ABSENT,
    ATTRIBUTED,
    C1,
    C2,
    C4,
    CHECKPOINT,
    KEYS,
    NAMES,
    POLICIES,
    ROSTER,
    RULES,
    STATE,
    WRITE_ONCE,
    Attack,
    Handed,
)
from attacks_on_events import edited_in_place
from reviews_forgery import forge, one_event, removed, signature_of
from reviews_stories import approved, untouched
from reviews_ward import Ward, people

from m4review.reviews import Ledger
from m4review.reviews.adopting import adopt_rules, proposed_change
from m4review.reviews.digests import file_digest
from m4review.reviews.signing import SshKeygen
from m4review.reviews.verify import verify


def dropped_in_a_merge(ward: Ward) -> None:
    ward.git("checkout", "-q", "-b", "side")
    ward.say("C2", schema="changes")
    lost = one_event(ward, "C2", "verdict")
    ward.git("checkout", "-q", "main")
    ward.git("merge", "-q", "--no-commit", "--no-ff", "side")
    ward.git("rm", "-q", "-f", str(lost))
    ward.git("commit", "-q", "-m", "merged")


def octopus_that_drops(ward: Ward) -> None:
    """Three sides review at once; the one commit that joins them leaves a request for changes out."""
    sides = []
    for actor, decision in (("C2", "changes"), ("C3", "approve")):
        ward.git("checkout", "-q", "-b", f"side-{actor}", "main")
        ward.say(actor, schema=decision)
        sides.append(f"side-{actor}")
    ward.git("checkout", "-q", "main")
    (ward.root / "notes.txt").write_text("main moved on\n")
    ward.commit("notes")
    ward.git("merge", "-q", "--no-edit", *sides)
    assert len(ward.git("rev-list", "--parents", "-n", "1", "HEAD").split()) == 4
    lost = one_event(ward, "C2", "verdict")
    ward.git("rm", "-q", str(lost))
    ward.git("commit", "-q", "--amend", "--no-edit")


def hidden_by_a_replacement(ward: Ward) -> None:
    """An event is deleted, and ``git replace`` lets every reader of this clone see the commit as if it had not been."""
    removed(one_event(ward, "C1", "verdict"))
    ward.commit("tidied up")
    parent = ward.git("rev-parse", "HEAD~3").strip()
    tree = ward.git("rev-parse", "HEAD^{tree}").strip()
    other = ward.git("commit-tree", tree, "-p", parent, "-m", "tidied up").strip()
    ward.git("replace", "HEAD", other)


def removed_reviewer(ward: Ward) -> None:
    """The roster without C2 is adopted by those it asks; then C2 speaks up, in place of the second approval."""
    roster = ward.root / "reviews/roster.toml"
    text = roster.read_text()
    start = text.index('[[reviewers]]\nid = "C2"')
    roster.write_text(text[:start] + text[text.index('[[reviewers]]\nid = "C3"') :])
    adopt(ward, "C1", "C4")
    ward.commit("C2 left")
    forge(ward, "verdict", "C2")
    ward.git("commit", "-q", "--amend", "--no-edit", "--reset-author", **people(C2, C2))


def adopt(ward: Ward, *reviewers: str) -> None:
    before, after = proposed_change(ward.workspace)
    for reviewer in reviewers:
        adopt_rules(ward.workspace, reviewer, before, after)


def forged_author_names(ward: Ward) -> None:
    """The commits say C1 and C4, the events say C1 and C4; only the missing signatures tell that they are not."""
    ward.edit("above 2", "above 9")
    ward.commit("a new threshold")
    for reviewer in (C1, C4):
        forge(ward, "verdict", reviewer[0])
        ward.git("commit", "-q", "--amend", "--no-edit", "--reset-author", **people(reviewer, reviewer))


def forged_trailer(ward: Ward) -> None:
    """C2's unsigned approval, recorded by somebody who only mentions C2 in the text of the message."""
    ward.say("C1")
    forge(ward, "verdict", "C2")
    message = "Verdict\n\nReviewed-by: C2 <c2@reviewers.invalid>\n\nas C2 <c2@reviewers.invalid> told me\n"
    ward.git("commit", "-q", "--amend", "-m", message)


def approved_by_a_co_author(ward: Ward) -> None:
    ward.edit("above 2", "above 4")
    ward.commit("a new threshold\n\nCo-authored-by: Cleo <cleo@clinic.example>")
    ward.say("C1")
    forge(ward, "verdict", "C2")
    ward.git("commit", "-q", "--amend", "--no-edit", "--reset-author", **people(C2, C2))


def forced_push(ward: Ward) -> Handed:
    kept = ward.root.parent / "checkpoint.json"
    verify(ward.root, keep=kept)
    ward.git("reset", "-q", "--hard", "HEAD~1")
    ward.say("C2")
    return Handed(ward.root, kept)


def key_and_threshold(ward: Ward) -> None:
    """C2 adds a key of their own under C3's name and lowers the threshold, in one commit, and approves as C3."""
    ward.edit("above 2", "above 9")
    ward.commit("a new threshold")
    SshKeygen().create(ward.root.parent / "c2s", "c2s")
    signers = ward.root / "reviews/allowed_signers"
    public = (ward.root.parent / "c2s.pub").read_text()
    signers.write_text(f'{signers.read_text()}C3 namespaces="m4review.event.v1" {public}')
    policy = ward.root / "reviews/policy.toml"
    policy.write_text(policy.read_text().replace("required = 2", "required = 1"))
    ward.commit("small changes", author=C2)
    event = forge(ward, "verdict", "C3")
    signature_of(event).write_bytes(SshKeygen().sign(event.read_bytes(), ward.root.parent / "c2s"))
    ward.commit("C3 approves", author=("C3", "c3@reviewers.invalid"))


def keys_file(change: Callable[[Path], object]) -> Callable[[Ward], None]:
    def do(ward: Ward) -> None:
        change(ward.root / "reviews/allowed_signers")
        ward.commit("keys")

    return do


def shallow_clone(ward: Ward) -> Handed:
    place = ward.root.parent / "shallow"
    ward.git("clone", "-q", "--depth", "1", f"file://{ward.root}", str(place))
    return Handed(place)


def zip_export(ward: Ward) -> Handed:
    archive = ward.root.parent / "export.zip"
    ward.git("archive", "--format=zip", "-o", str(archive), "HEAD")
    return Handed(archive)


def edited_zip_export(ward: Ward) -> Handed:
    edited_in_place(ward)
    return zip_export(ward)


def verdict_under_a_policy_of_ones_own(ward: Ward) -> None:
    forge(ward, "verdict", "C2", policy=ABSENT)


def verdict_under_an_edited_policy(ward: Ward) -> None:
    """C2 edits the policy on disk, judges by it, and puts the policy back before anybody looks."""
    path = ward.root / "reviews/policy.toml"
    kept = path.read_bytes()
    path.write_bytes(b'independent = "open"\n' + kept)
    named = file_digest(path.read_bytes())
    path.write_bytes(kept)
    forge(ward, "verdict", "C2", policy=named)


def verdict_under_the_policy_before(ward: Ward) -> None:
    """The line has adopted another policy, and a verdict recorded on top of it still names the one before."""
    old = Ledger.load(ward.workspace).rules.policy_digest
    path = ward.root / "reviews/policy.toml"
    path.write_text(path.read_text().replace("required = 2", 'required = 2\neditorial = "review"'))
    adopt(ward, "C1", "C4")
    ward.commit("a stricter policy")
    forge(ward, "verdict", "C2", policy=old)


ON_HISTORY: tuple[Attack, ...] = (
    Attack("a removed reviewer gives a verdict", approved, removed_reviewer, 1, ROSTER, "C2 was not on the roster"),
    Attack("author names are forged in git", approved, forged_author_names, 1, ATTRIBUTED, "had a key to sign with"),
    Attack(
        "a mention in a message is passed off as co-authorship",
        untouched,
        forged_trailer,
        1,
        ATTRIBUTED,
        "instead of C2",
    ),
    Attack("a co-author approves", untouched, approved_by_a_co_author, 1, STATE, "had a hand in this text"),
    Attack("an event is dropped in a merge", approved, dropped_in_a_merge, 2, WRITE_ONCE, "was removed by commit"),
    Attack(
        "an event is dropped in an octopus merge", approved, octopus_that_drops, 2, WRITE_ONCE, "was removed by commit"
    ),
    Attack(
        "a deletion is hidden by git replace", approved, hidden_by_a_replacement, 2, WRITE_ONCE, "was removed by commit"
    ),
    Attack("a force-push drops an event (against a checkpoint)", approved, forced_push, 2, CHECKPOINT, "is gone since"),
    Attack(
        "a key for another and a lower threshold in one commit",
        approved,
        key_and_threshold,
        2,
        RULES,
        "adopted by nobody",
    ),
    Attack(
        "a verdict names a policy that never was",
        approved,
        verdict_under_a_policy_of_ones_own,
        1,
        POLICIES,
        "which was never in force",
    ),
    Attack(
        "a verdict names a policy that was only edited",
        approved,
        verdict_under_an_edited_policy,
        1,
        POLICIES,
        "which was never in force",
    ),
    Attack(
        "a verdict names the policy before the one in force",
        approved,
        verdict_under_the_policy_before,
        1,
        POLICIES,
        "which was in force at another time",
    ),
    Attack("the list of keys is deleted", approved, keys_file(Path.unlink), 3, KEYS, "MissingAllowedSigners"),
    Attack(
        "the list of keys is emptied",
        approved,
        keys_file(lambda path: path.write_text("# nobody\n")),
        3,
        KEYS,
        "EmptyAllowedSigners",
    ),
    Attack(
        "the list of keys is unreadable",
        approved,
        keys_file(lambda path: path.write_bytes(b"C1 \xff\n")),
        3,
        KEYS,
        "UnreadableAllowedSigners",
    ),
    Attack("a shallow clone", approved, shallow_clone, 3, WRITE_ONCE, "git fetch --unshallow"),
    Attack("a zip export", approved, zip_export, 3, WRITE_ONCE, "an export has none; verify a clone"),
    Attack("an edited zip export", approved, edited_zip_export, 2, NAMES, "so it was changed"),
)
