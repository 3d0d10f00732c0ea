"""Languages without a file of their own."""

from pairwright.languages import load_language


def test_a_language_without_a_file_has_the_name_that_people_and_models_know() -> None:
    assert load_language("sje").name == "Pite Sami"
    # Private codes, and those that no standard has, are their own names.
    assert [load_language(code).name for code in ("qtx", "xq")] == ["qtx", "xq"]
