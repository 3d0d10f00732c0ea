"use strict";
(() => {
  let since = performance.now();
  let away = 0;
  let hiddenAt = null;
  let busy = false;
  const page = () => document.getElementById("page");
  const fix = () => document.getElementById("fix");

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hiddenAt = performance.now();
    else if (hiddenAt !== null) { away += performance.now() - hiddenAt; hiddenAt = null; }
  });

  function openFix(open, focus) {
    const opener = document.getElementById("open-fix");
    if (!opener) return;
    fix().hidden = !open;
    fix().disabled = !open;
    opener.setAttribute("aria-expanded", String(open));
    if (!focus) return;
    const field = open ? fix().querySelector("textarea") : opener;
    field.focus();
    if (open) field.setSelectionRange(field.value.length, field.value.length);
  }

  function say(text, bad) {
    const note = document.getElementById("note");
    note.textContent = text;
    note.className = bad ? "bad" : "";
  }

  async function load(address, options) {
    if (busy) return;
    busy = true;
    page().classList.add("busy");
    try {
      const response = await fetch(address, options);
      const text = await response.text();
      if (!response.ok) { say(text, true); return; }
      const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("page");
      page().replaceWith(fresh);
      since = performance.now();
      away = 0;
      history.replaceState(null, "", "./");
      begin();
      document.getElementById("question").focus({ preventScroll: true });
      window.scrollTo(0, 0);
    } catch (fault) {
      say(page().dataset.failed, true);
    } finally {
      busy = false;
      page().classList.remove("busy");
    }
  }

  function send(form, button) {
    const seconds = form.querySelector("[name=seconds]");
    if (seconds) seconds.value = ((performance.now() - since - away) / 1000).toFixed(1);
    const body = new URLSearchParams(new FormData(form));
    if (button && button.name) body.set(button.name, button.value);
    return load(form.getAttribute("action"), { method: "POST", body });
  }

  function begin() {
    const decided = document.querySelector("#open-fix[aria-pressed=true]") || document.querySelector("#note.bad");
    openFix(Boolean(decided), false);
  }

  document.addEventListener("submit", (event) => {
    event.preventDefault();
    send(event.target, event.submitter);
  });

  document.addEventListener("click", (event) => {
    const target = event.target.closest("#open-fix, #close-fix, #back");
    if (!target) return;
    if (target.id === "back") { event.preventDefault(); load(target.href); return; }
    openFix(target.id === "open-fix" && fix().hidden, true);
  });

  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("textarea");
    if (typing && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      (event.target.closest("#fix") ? fix().querySelector(".save") : document.getElementById("save-comment")).click();
    } else if (event.key === "Escape") {
      if (fix() && !fix().hidden) openFix(false, true);
      else if (typing) event.target.blur();
    } else if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat) {
      press(event);
    }
  });

  function press(event) {
    const digit = event.shiftKey && event.code.match(/^Digit([1-9])$/);
    if (digit) {
      const taken = document.querySelector(`[name=alternative][value="${digit[1]}"]`);
      if (taken) { event.preventDefault(); taken.click(); }
      return;
    }
    const key = event.key.toLowerCase();
    const kind = page().dataset.kind;
    const letter = kind === "choice" ? { a: "1", b: "2" }[key] : undefined;
    const others = { c: "#comment", u: "#undo button", s: "#skip button", b: "#back" };
    const selector = letter || /^[1-7]$/.test(key) ? `[data-key="${letter || key}"]` : others[key];
    const target = selector && document.querySelector(selector);
    if (!target) return;
    event.preventDefault();
    if (key === "c") target.focus();
    else target.click();
  }

  begin();
})();
