"use strict";
(() => {
  let since = performance.now();
  let away = 0;
  let hiddenAt = null;
  let busy = false;
  const page = () => document.getElementById("page");
  const fix = () => document.getElementById("fix");
  const form = () => document.getElementById("answer");

  // The browser may forbid its storage. Then what was typed lasts as long as the page.
  function recall(name) {
    try { return JSON.parse(localStorage.getItem(name)); } catch { return null; }
  }

  function remember(name, value) {
    try {
      if (value === null) localStorage.removeItem(name);
      else localStorage.setItem(name, JSON.stringify(value));
    } catch { /* see above */ }
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hiddenAt = performance.now();
    else if (hiddenAt !== null) { away += performance.now() - hiddenAt; hiddenAt = null; }
  });

  function openFix(open, focus) {
    const opener = document.getElementById("open-fix");
    if (!opener) return;
    fix().hidden = !open;
    opener.setAttribute("aria-expanded", String(open));
    if (!focus) return;
    const field = open ? fix().querySelector("textarea") : opener;
    field.focus();
    if (open) fix().scrollIntoView({ block: "nearest" });
    if (open) field.setSelectionRange(field.value.length, field.value.length);
  }

  function say(text, bad) {
    const note = document.getElementById("note");
    note.textContent = text;
    note.className = bad ? "bad" : "";
  }

  // Screen readers speak what changes in the note, not what it comes with.
  function announce() {
    const note = document.getElementById("note");
    const text = note.textContent;
    note.textContent = "";
    setTimeout(() => { note.textContent = note.textContent || text; }, 50);
  }

  async function load(address, body) {
    if (busy) return;
    busy = true;
    page().classList.add("busy");
    try {
      const draft = draftName();
      const response = await fetch(address, { method: "POST", body });
      const text = await response.text();
      if (!response.ok) { say(text, true); return; }
      const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("page");
      const answers = ["decision", "alternative", "choice", "rating"].some((name) => body.get(name));
      if (answers && !fresh.querySelector("#note.bad")) remember(draft, null);
      page().replaceWith(fresh);
      since = performance.now();
      away = 0;
      history.replaceState(null, "", "./");
      begin();
      announce();
      document.getElementById("question").focus({ preventScroll: true });
      window.scrollTo(0, 0);
    } catch (fault) {
      say(page().dataset.failed, true);
    } finally {
      busy = false;
      page().classList.remove("busy");
    }
  }

  function begin() {
    const held = recall(draftName());
    for (const [name, text] of Object.entries(held || {})) form().elements[name].value = text;
    const wrong = document.querySelector("#note.bad");
    const corrected = fix() && [...fix().querySelectorAll("textarea")].some((field) => field.value !== field.defaultValue);
    openFix(Boolean(wrong || corrected || (fix() && "open" in fix().dataset)), false);
    showKeys();
  }

  // What was typed and not sent is here until the server has the answer, whatever becomes of the page.
  function draftName() {
    const { queue, reviewer, item } = page().dataset;
    return `pairwright-draft ${queue} ${reviewer} ${item}`;
  }

  // Keys

  const KEYS_OFF = "pairwright-keys-off";

  function showKeys() {
    const off = Boolean(recall(KEYS_OFF));
    document.getElementById("keys").hidden = false;
    document.getElementById("keys-on").checked = !off;
    for (const label of document.querySelectorAll("kbd")) label.hidden = off && !label.closest("#fix");
  }

  // The number row gives letters on some layouts, and other scripts have no a to z, so there the place of the key counts.
  function nameOf(event) {
    const digit = event.code.match(/^Digit(\d)$/);
    const key = event.key.toLowerCase();
    const letter = event.code.match(/^Key([A-Z])$/);
    if (digit) return digit[1];
    return /^[a-z0-9]$/.test(key) ? key : letter ? letter[1].toLowerCase() : "";
  }

  function press(event) {
    const name = nameOf(event);
    if (recall(KEYS_OFF) || !name) return;
    const target = event.shiftKey && event.code.startsWith("Digit")
      ? document.querySelector(`[name=alternative][value="${name}"]`)
      : document.querySelector(`[data-key="${name}"], [data-also="${name}"]`);
    if (!target) return;
    event.preventDefault();
    if (target.matches("textarea")) target.focus();
    else target.click();
  }

  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("textarea");
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (typing && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      (event.target.closest("#fix") ? fix().querySelector(".save") : document.getElementById("save-comment")).click();
    } else if (event.key === "Escape") {
      if (fix() && !fix().hidden) openFix(false, true);
      else if (typing) event.target.blur();
    } else if (!typing && plain && !event.repeat) {
      press(event);
    }
  });

  document.addEventListener("input", (event) => {
    if (!event.target.matches("#answer textarea")) return;
    const fields = [...form().querySelectorAll("textarea")];
    remember(draftName(), Object.fromEntries(fields.map((field) => [field.name, field.value])));
  });

  document.addEventListener("change", (event) => {
    if (event.target.id !== "keys-on") return;
    remember(KEYS_OFF, event.target.checked ? null : true);
    showKeys();
  });

  document.addEventListener("submit", (event) => {
    event.preventDefault();
    const seconds = form().elements.seconds;
    if (seconds) seconds.value = ((performance.now() - since - away) / 1000).toFixed(1);
    const body = new URLSearchParams(new FormData(form()));
    const button = event.submitter;
    if (button && button.name) body.set(button.name, button.value);
    load((button && button.getAttribute("formaction")) || form().getAttribute("action"), body);
  });

  document.addEventListener("click", (event) => {
    const target = event.target.closest("#open-fix, #close-fix");
    if (target) openFix(target.id === "open-fix" && fix().hidden, true);
  });

  begin();
})();
