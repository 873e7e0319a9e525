// The explorer without this file works, with more clicks. With it: sliders, results that follow every change, uploads,
// and buttons that can be pressed only once.
"use strict";
document.documentElement.classList.add("js");
const MOST = 20e6, PAUSE = 250; // bytes of an upload; milliseconds after the last change

// A slider walks through the values that its text field may take.
function wireSliders() {
  for (const slider of document.querySelectorAll("input[data-steps]")) {
    const steps = slider.dataset.steps.split(","), text = document.getElementById(slider.dataset.for);
    const say = () => slider.setAttribute("aria-valuetext", text.value || "empty");
    const nearest = () => {
      const value = Number(text.value) || 0;
      const gaps = steps.map((step) => Math.abs(Math.log((Number(step) + 1e-12) / (value + 1e-12))));
      slider.value = gaps.indexOf(Math.min(...gaps));
      say();
    };
    nearest();
    text.addEventListener("input", nearest);
    slider.addEventListener("input", () => {
      text.value = steps[slider.value];
      say();
    });
  }
}

// The result of a form is fetched anew after every change; the form itself stays, with the focus in it.
function wireForm(form) {
  let timer, latest = 0;
  const address = () => form.getAttribute("action") + "?" + new URLSearchParams(new FormData(form));
  const show = async (button) => {
    const pressed = button && button.name ? "&" + new URLSearchParams([[button.name, button.value]]) : "";
    const mine = ++latest, result = document.getElementById("result");
    result.classList.add("busy");
    const answer = await fetch(address() + pressed, { credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== latest) return; // a later change has been sent
    const found = page.getElementById("result");
    result.classList.remove("busy");
    const focused = result.contains(document.activeElement) && document.activeElement.id;
    if (found) result.replaceChildren(...document.adoptNode(found).childNodes);
    if (focused) document.getElementById(focused)?.focus();
    for (const field of pressed ? form.elements : []) { // the button may have changed what was asked
      const now = field.id && page.getElementById(field.id);
      if (now && now.localName === "textarea") field.value = now.value;
    }
    history.replaceState(null, "", address());
    const refusal = result.querySelector("[data-wrong]"), first = result.querySelector("[role=alert], .facts div");
    document.getElementById("heard").textContent = first ? first.textContent : "The result has changed.";
    for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
    const wrong = refusal && form.elements[refusal.dataset.wrong];
    if (wrong) wrong.setAttribute("aria-invalid", "true");
    wireOnce(result);
    wireGrid(result, focused);
  };
  form.addEventListener(form.dataset.live, (event) => {
    if (event.target.type === "file" || "reloads" in event.target.dataset) return;
    clearTimeout(timer);
    timer = setTimeout(show, PAUSE);
  });
  form.addEventListener("change", (event) => {
    if (!("reloads" in event.target.dataset)) return;
    sessionStorage.setItem("focus", event.target.id); // the other fields change with it, and the page is loaded anew
    location.assign(address());
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    show(event.submitter);
  });
}

// A form that spends is sent once. Coming back to the page, the button works again; the server charges once anyway.
function wireOnce(root) {
  for (const form of root.querySelectorAll("form[method=post]")) {
    form.addEventListener("submit", () => setTimeout(() => { for (const each of form.querySelectorAll("button")) each.disabled = true; }));
  }
}

// A table of buttons is one stop of the Tab key; arrow keys move inside it.
function wireGrid(root, focused) {
  const grid = root.querySelector("[data-grid]");
  if (!grid) return;
  const cells = [...grid.querySelectorAll("button")];
  const hold = (cell) => { for (const each of cells) each.tabIndex = each === cell ? 0 : -1; };
  hold(cells.find((each) => each.id === focused) || cells[0]);
  grid.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    const [i, j] = event.target.value.split(".").map(Number);
    const next = document.getElementById(`cell-${i + step[0]}-${j + step[1]}`);
    if (next) { hold(next); next.focus(); }
    event.preventDefault();
  });
}

// A file is sent as it is, and kept in the memory of the server.
function wireUpload(input) {
  const status = document.getElementById("upload-status");
  input.addEventListener("change", async () => {
    const file = input.files[0];
    if (!file) return;
    if (file.size > MOST) { status.textContent = "The file is larger than 20 MB; name it when you start the server."; return; }
    status.textContent = "Sending " + file.name + " …";
    const headers = { "X-Form-Token": input.dataset.token, "X-File-Name": encodeURIComponent(file.name) };
    try {
      const answer = await fetch("/upload", { method: "POST", body: file, headers });
      if (!answer.ok) { status.textContent = await answer.text(); return; }
      const found = await answer.json(), choice = document.getElementById("f-source");
      if (!choice.querySelector(`option[value="${found.source}"]`)) choice.add(new Option(found.name, found.source));
      choice.value = found.source;
      status.textContent = found.name + " is in memory.";
      choice.dispatchEvent(new Event("change", { bubbles: true }));
    } catch { status.textContent = "The file did not arrive; is the server still running?"; }
  });
}

// A file can fill a text field; it goes nowhere else.
function wireFill(input) {
  const text = document.getElementById(input.dataset.fills);
  input.addEventListener("change", async (event) => {
    event.stopPropagation();
    if (!input.files[0]) return;
    text.value = await input.files[0].text();
    for (const kind of ["input", "change"]) text.dispatchEvent(new Event(kind, { bubbles: true }));
  });
}

document.getElementById(sessionStorage.getItem("focus"))?.focus();
sessionStorage.removeItem("focus");
wireSliders();
document.querySelectorAll("form[data-live]").forEach(wireForm);
document.querySelectorAll("input[data-upload]").forEach(wireUpload);
document.querySelectorAll("input[data-fills]").forEach(wireFill);
wireOnce(document);
wireGrid(document);
addEventListener("pageshow", () => { for (const button of document.querySelectorAll("button")) button.disabled = false; });
