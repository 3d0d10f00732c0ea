"use strict";
(() => {
  const form = document.getElementById("enter");
  const token = window.location.hash.slice(1);
  if (!token || !form.hasAttribute("data-own")) return;
  history.replaceState(null, "", window.location.pathname);
  form.elements.token.value = token;
  form.submit();
})();
