"use strict";
(() => {
  const SAVE_AFTER = 400; // ms without typing
  let since = performance.now();
  let away = 0;
  let hiddenAt = null;
  let busy = false;
  let timer = null;
  let saving = Promise.resolve();
  const page = () => document.getElementById("page");
  const fix = () => document.getElementById("fix");
  const form = () => document.getElementById("answer");

  // The browser may forbid its storage. Then keys are as they come, and drafts are with the server alone.
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
    if (document.hidden) { hiddenAt = performance.now(); if (timer) keepDraft(); }
    else if (hiddenAt !== null) { away += performance.now() - hiddenAt; hiddenAt = null; }
  });
  window.addEventListener("pagehide", () => { if (timer) keepDraft(); });

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
      await saving;
      const response = await fetch(address, { method: "POST", body });
      const text = await response.text();
      if (!response.ok) { say(text, true); return; }
      remember(draft, null);
      const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("page");
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
    if (held) {
      for (const [name, text] of Object.entries(held)) form().elements[name].value = text;
      keepDraft();
    }
    const wrong = document.querySelector("#note.bad");
    const corrected = fix() && [...fix().querySelectorAll("textarea")].some((field) => field.value !== field.defaultValue);
    openFix(Boolean(wrong || corrected || (fix() && "open" in fix().dataset)), false);
    showKeys();
  }

  // Drafts

  function draftName() {
    const { queue, reviewer, item } = page().dataset;
    return `pairwright-draft ${queue} ${reviewer} ${item}`;
  }

  function keepDraft() {
    clearTimeout(timer);
    timer = null;
    const name = draftName();
    const texts = Object.fromEntries([...form().querySelectorAll("textarea")].map((field) => [field.name, field.value]));
    const body = new URLSearchParams(new FormData(form()));
    // The page may go before the server has answered; then the next one restores what it held.
    remember(name, texts);
    saving = fetch("draft", { method: "POST", body, keepalive: true }).then(async (response) => {
      if (response.ok) remember(name, null);
      else say(await response.text(), true);
    }).catch(() => say(page().dataset.failed, true));
  }

  // Keys

  const keysName = () => `pairwright-keys ${page().dataset.kind}`;
  const settings = () => ({ off: false, own: {}, ...recall(keysName()) });
  const fields = () => [...document.querySelectorAll("#keys [data-default]")];

  function showKeys() {
    const { off, own } = settings();
    document.getElementById("keys").hidden = false;
    document.getElementById("keys-on").checked = !off;
    for (const field of fields()) field.value = (own[field.dataset.default] || field.dataset.default).toUpperCase();
    for (const label of document.querySelectorAll("kbd")) {
      const first = label.dataset.shortcut;
      label.hidden = off && !label.closest("#fix");
      if (first) label.textContent = (own[first] || first).toUpperCase();
    }
  }

  // The number row gives letters on some layouts, and other scripts have no a to z, so there the place of the key counts.
  function nameOf(event) {
    const digit = event.code.match(/^Digit(\d)$/);
    const key = event.key.toLowerCase();
    const letter = event.code.match(/^Key([A-Z])$/);
    if (digit) return digit[1];
    return /^[a-z0-9]$/.test(key) ? key : letter ? letter[1].toLowerCase() : "";
  }

  function changeKey(field, name) {
    const { off, own } = settings();
    const current = (first) => own[first] || first;
    const other = fields().find((one) => current(one.dataset.default) === name);
    if (other) own[other.dataset.default] = current(field.dataset.default);
    own[field.dataset.default] = name;
    remember(keysName(), { off, own });
    showKeys();
    say(`${field.labels[0].textContent}: ${name.toUpperCase()}`);
  }

  function press(event) {
    const { off, own } = settings();
    const name = nameOf(event);
    if (off || !name) return;
    const choices = [...document.querySelectorAll("[data-key]")];
    const target = event.shiftKey && event.code.startsWith("Digit")
      ? document.querySelector(`[name=alternative][value="${name}"]`)
      : choices.find((one) => (own[one.dataset.key] || one.dataset.key) === name)
        || document.querySelector(`[data-also="${name}"]`);
    if (!target) return;
    event.preventDefault();
    if (target.matches("textarea")) target.focus();
    else target.click();
  }

  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("textarea, input");
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.target.dataset.default && plain && nameOf(event)) {
      event.preventDefault();
      changeKey(event.target, nameOf(event));
    } else if (event.target.matches("textarea") && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
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
    if (event.target.matches("#answer textarea")) {
      clearTimeout(timer);
      timer = setTimeout(keepDraft, SAVE_AFTER);
    } else if (event.target.dataset.default) {
      showKeys();
    }
  });

  document.addEventListener("change", (event) => {
    if (event.target.id !== "keys-on") return;
    remember(keysName(), { ...settings(), off: !event.target.checked });
    showKeys();
  });

  document.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    timer = null;
    const seconds = form().elements.seconds;
    if (seconds) seconds.value = ((performance.now() - since - away) / 1000).toFixed(1);
    const body = new URLSearchParams(new FormData(form()));
    const button = event.submitter;
    if (button && button.name) body.set(button.name, button.value);
    load((button && button.getAttribute("formaction")) || form().getAttribute("action"), body);
  });

  document.addEventListener("click", (event) => {
    const target = event.target.closest("#open-fix, #close-fix, #keys-default");
    if (!target) return;
    if (target.id === "keys-default") { remember(keysName(), null); showKeys(); }
    else openFix(target.id === "open-fix" && fix().hidden, true);
  });

  begin();
})();
