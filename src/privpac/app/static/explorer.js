// The explorer works without this file, with more clicks. The file adds sliders, results that follow every change, uploads
// that the form waits for, and buttons that can be pressed only once and show that the server is at work.
"use strict";
document.documentElement.classList.add("js");
const MOST = 20e6, PAUSE = 250; // bytes of an upload; milliseconds after the last change
let sending = Promise.resolve(true); // resolves to whether the last chosen file arrived; the form waits for it

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
    const request = ++latest, result = document.getElementById("result");
    result.classList.add("busy");
    const arrived = await sending;
    if (request !== latest) return;
    if (!arrived) { result.classList.remove("busy"); return; } // the form still names another table
    const answer = await fetch(address() + pressed, { credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (request !== latest) return; // a later change has been sent
    const newResult = page.getElementById("result");
    result.classList.remove("busy");
    const focused = result.contains(document.activeElement) && document.activeElement.id;
    if (newResult) result.replaceChildren(...document.adoptNode(newResult).childNodes);
    if (focused) document.getElementById(focused)?.focus();
    for (const field of pressed ? form.elements : []) { // the button may have changed what was asked
      const newField = field.id && page.getElementById(field.id);
      if (newField && newField.localName === "textarea") field.value = newField.value;
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
    sending.then((arrived) => { // loading it now would forget a file that is being sent
      if (!arrived) sessionStorage.setItem("upload-status", document.getElementById("upload-status").textContent);
      location.assign(address());
    });
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    show(event.submitter);
  });
}

// A form that spends is sent once, and says that it is at work. When someone comes back to the page, the button works
// again; the server charges once anyway. Progress would reveal something about records, so only the time is shown.
function wireOnce(root) {
  for (const form of root.querySelectorAll("form[method=post]:not([enctype])")) {
    form.addEventListener("submit", () => setTimeout(() => {
      for (const button of form.querySelectorAll("button")) button.disabled = true;
      const bar = document.createElement("progress"), note = document.createElement("p"), start = Date.now();
      const say = () => { note.firstChild.data = "Releasing, for " + Math.round((Date.now() - start) / 1000) + " s. "; };
      bar.setAttribute("aria-label", "Releasing");
      note.className = "note working";
      note.setAttribute("role", "status");
      note.append("", "A large table takes time. You may leave this page: the release is kept, and “Budgets” lists it.");
      say();
      form.append(bar, note);
      const clock = setInterval(() => note.isConnected ? say() : clearInterval(clock), 1000);
    }));
  }
}

// A table of buttons is one stop of the Tab key; arrow keys move inside it.
function wireGrid(root, focused) {
  const grid = root.querySelector("[data-grid]");
  if (!grid) return;
  const cells = [...grid.querySelectorAll("button")];
  const makeTabStop = (stop) => { for (const cell of cells) cell.tabIndex = cell === stop ? 0 : -1; };
  makeTabStop(cells.find((cell) => cell.id === focused) || cells[0]);
  grid.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    const [i, j] = event.target.value.split(".").map(Number);
    const next = document.getElementById(`cell-${i + step[0]}-${j + step[1]}`);
    if (next) { makeTabStop(next); next.focus(); }
    event.preventDefault();
  });
}

// A file is sent as it is, and kept in the memory of the server.
function wireUpload(input) {
  const status = document.getElementById("upload-status");
  status.textContent = sessionStorage.getItem("upload-status") || status.textContent;
  sessionStorage.removeItem("upload-status");
  const send = async (file) => { // a sentence about what went wrong; "" if the file arrived
    if (file.size > MOST) return "The file is larger than 20 MB; name it when you start the server.";
    const headers = { "X-Form-Token": input.dataset.token, "X-File-Name": encodeURIComponent(file.name) };
    try {
      const answer = await fetch("/upload", { method: "POST", body: file, headers });
      if (!answer.ok) return await answer.text();
      const table = await answer.json(), choice = document.getElementById("f-source");
      if (!choice.querySelector(`option[value="${table.source}"]`)) choice.add(new Option(table.name, table.source));
      choice.value = table.source;
      status.textContent = table.name + " is in memory.";
      return "";
    } catch { return "The file did not arrive; is the server still running?"; }
  };
  const begin = async () => {
    const file = input.files[0], spends = document.querySelectorAll("#result form button");
    if (!file) return;
    status.textContent = "Sending " + file.name + " … The form waits for it.";
    for (const button of spends) button.disabled = true; // they would release from the table that was chosen before
    const sent = send(file);
    sending = sent.then((wrong) => !wrong);
    const wrong = await sent;
    if (input.files[0] !== file) return; // another one was chosen meanwhile
    if (!wrong) { document.getElementById("f-source").dispatchEvent(new Event("change", { bubbles: true })); return; }
    status.textContent = wrong + " The form still names the table that was chosen before.";
    input.value = "";
    sending = Promise.resolve(true);
    for (const button of spends) button.disabled = false;
  };
  input.addEventListener("change", begin);
  addEventListener("pageshow", begin); // a browser may bring back the name of a file that was never sent
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

// A slider over the cuts of a labeled release: everything it shows was released before, and nothing is sent.
function wireCuts(section) {
  const steps = JSON.parse(section.dataset.cuts), slider = section.querySelector("#cut");
  const weight = section.querySelector("#cut-weight"), dot = section.querySelector("#cut-dot");
  const band = section.querySelector("#cut-band"), place = (shape, names, numbers) =>
    names.forEach((name, i) => shape.setAttribute(name, numbers[i]));
  const show = () => {
    const step = steps[slider.value];
    for (const name of ["rule", "tpr", "fpr", "error"]) section.querySelector("#cut-" + name).textContent = step[name];
    slider.setAttribute("aria-valuetext", step.rule);
    place(dot, ["cx", "cy"], step.dot);
    if (step.band) place(band, ["x", "y", "width", "height"], step.band);
  };
  section.querySelector("#cut-best").addEventListener("click", () => {
    const costs = steps.map(({ wrong }) => wrong[0] + Number(weight.value) * wrong[1]);
    slider.value = costs.indexOf(Math.min(...costs));
    show();
  });
  slider.addEventListener("input", show);
  section.hidden = false;
  show();
}

addEventListener("pageshow", () => { // also when the browser shows a kept page again
  for (const button of document.querySelectorAll("button")) button.disabled = false;
  for (const element of document.querySelectorAll(".working, form > progress")) element.remove();
});
document.getElementById(sessionStorage.getItem("focus"))?.focus();
sessionStorage.removeItem("focus");
wireSliders();
document.querySelectorAll("form[data-live]").forEach(wireForm);
document.querySelectorAll("input[data-upload]").forEach(wireUpload);
document.querySelectorAll("input[data-fills]").forEach(wireFill);
document.querySelectorAll("[data-cuts]").forEach(wireCuts);
wireOnce(document);
wireGrid(document);
