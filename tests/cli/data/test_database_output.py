"""What `dayline database copy` says at its end."""

import pytest

from dayline.cli.data.database_output import print_copied
from dayline.maintenance.database_copy import CopyProof


@pytest.mark.parametrize(("tenant", "whose"), [("anna", "anna"), ("", "without a name")])
def test_a_copy_that_leaves_other_tenants_out_does_not_say_that_everything_is_in_it(
    tenant: str, whose: str, capsys: pytest.CaptureFixture[str]
) -> None:
    proof = CopyProof(source="a", target="b", buckets=[], tables=[], left_out=["the data of bert"])

    print_copied(proof, tenant=tenant)

    printed = capsys.readouterr()
    assert "not copied: the data of bert" in printed.out
    assert f"Copied the tenant {whose}: source and target are equal." in printed.err
    assert "--tenant" in printed.err
    assert "everything" not in printed.err


def test_a_copy_of_everything_is_reported_as_complete(capsys: pytest.CaptureFixture[str]) -> None:
    print_copied(CopyProof(source="a", target="b", buckets=[], tables=[], left_out=[]), tenant="")

    assert capsys.readouterr().err == "Copied everything: source and target are equal.\n"
