"""How long a report's page takes to open, to filter its pairs and to show tokens, in the system's Chromium.

python benchmarks/report_speed.py --pairs 10000 --models 20 --folder made
python benchmarks/pair_browser.py made/report/index.html
"""

import shutil
import statistics
import time
from pathlib import Path

import click
from playwright.sync_api import sync_playwright

# Field and value of each step; each leaves the ones before it in place.
STEPS = (
    *(("query", "traukinio"), ("query", ""), ("verdict", "wrong"), ("model", "every"), ("model", "some")),
    *(("measure", "mean"), ("order", "low"), ("model", "0"), ("low", "-1"), ("high", "1"), ("rule", "3")),
)
FILTER = """([name, value]) => {
  const form = document.querySelector("#browse form");
  const start = performance.now();
  form.elements[name].value = value;
  form.dispatchEvent(new Event("input"));
  document.body.getBoundingClientRect();
  return [performance.now() - start, document.querySelector("#browse [role=status]").textContent];
}"""


@click.command(help=__doc__)
@click.argument("page", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--times", default=5, show_default=True, help="So often the page is opened.")
def main(page: Path, times: int) -> None:
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        seconds = []
        for _ in range(times):
            tab = browser.new_page()
            start = time.perf_counter()
            tab.goto(page.resolve().as_uri())
            tab.wait_for_selector("#browse ol > li")
            seconds.append(time.perf_counter() - start)
            if len(seconds) < times:
                tab.close()
        print(
            f"page {page.stat().st_size / 1e6:.1f} MB, open with pairs shown: median {statistics.median(seconds):.2f} s"
        )
        for step in STEPS:
            milliseconds, status = tab.evaluate(FILTER, list(step))
            print(f"{' = '.join(step):<20}{milliseconds:7.0f} ms  {status}")
        start = time.perf_counter()
        tab.reload()
        tab.locator("#browse ol details summary").first.click()
        tab.wait_for_selector("#browse .tokens")
        print(f"open again and show the first tokens: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
