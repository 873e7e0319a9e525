"""The explorer in a real browser: no foreign request, no complaint, one charge, and a keyboard is enough."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from threading import Thread
from urllib.parse import urlencode

import pytest

from privpac.privacy.budget import Budget
from tests.app.chromium import NEEDED
from tests.app.conftest import spent_at

pytestmark = NEEDED
ASKED = {
    **{"source": "t1", "class": "thresholds", "low": "-60", "high": "1440", "x": "dep_delay", "y": "late"},
    **{"classes": "0, 1", "epsilon": "0.5", "account": "clinic", "report_error": "yes"},
}
EXPLICIT = ASKED | {"class": "explicit", "matrix": "A,B\n1,0\n0,1", "x": "carrier", "report_error": ""}
COUNTS = {"source": "t1", "what": "counts", "by": "carrier", "epsilon": "1", "account": "clinic"}
SUMMARY = {
    **{"source": "t1", "x": "dep_delay", "low": "0", "high": "90", "step": "1", "by": "carrier", "groups": "A, B"},
    **{"quartiles": "yes", "epsilon": "0.5", "account": "clinic"},
}
PAPER = ASKED | {"algorithm": "occam", "low": "1", "high": "90", "direction": "above", "report_error": ""}
PAGES = [
    *("/", "/plan", "/budgets", "/classes", "/neighbors", "/broken", "/papers", "/nowhere"),
    *(f"/summarize?{urlencode(SUMMARY)}", f"/papers?{urlencode(PAPER)}"),
    *(f"/learn?{urlencode(ASKED)}", f"/release?{urlencode(COUNTS)}", "/plan?class=taxonomy", "/plan?class=explicit"),
]
LOOKS = ((1200, False), (390, False), (390, True))  # a desk, a phone, and a phone in the dark
AXE = files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")  # the rules of accessibility, from PyPI
FINDINGS = """axe.run(document, {resultTypes: ["violations"], runOnly: %s}).then(({violations}) =>
  violations.map(({id, impact, nodes}) => `${impact} ${id}: ${nodes.map((each) => each.html.slice(0, 99)).join()}`))"""
ALL, COLORS = "undefined", "['color-contrast']"  # rules of axe; in the dark, only colors differ


def set_field(tab, field: str, value: str, event: str) -> None:
    found = f"const e = document.getElementById('{field}'); e.value = '{value}';"
    tab.run(f"{{ {found} e.dispatchEvent(new Event('{event}', {{bubbles: true}})) }}")


def findings(tab, rules: str = ALL) -> list[str]:
    """What axe finds on the page."""
    if not tab.run("'axe' in window"):
        tab.run(AXE)
    return tab.run(FINDINGS % rules)


def fits(tab, path: str) -> None:
    """A page on a desk, on a phone, and in the dark: nothing sticks out, and axe finds nothing."""
    tab.open(tab.base + path)
    for width, dark in LOOKS:
        tab.look(width, dark=dark)
        where = f"{path} at {width}, dark: {dark}"
        assert tab.run("document.documentElement.scrollWidth") <= width, where
        assert findings(tab, COLORS if dark else ALL) == [], where


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.partition("?")[0])
def test_a_page_on_a_desk_on_a_phone_and_in_the_dark(tab, path):
    fits(tab, path)
    missing = ["Failed to load resource: the server responded with a status of 404 (Not Found)"]
    assert tab.complaints == missing * (path == "/nowhere")
    assert {each for each in tab.requests if not each.startswith((tab.base, "about:"))} == set()


def test_axe_sees_what_is_wrong(tab):
    tab.open(f"{tab.base}/budgets")
    tab.run("document.querySelector('label[for=f-account]').remove()")
    tab.run("document.querySelector('.about').style.color = '#ddd'")
    tab.run("document.querySelector('nav').setAttribute('role', 'menu')")
    found = {each.partition(":")[0] for each in findings(tab)}
    assert found >= {"critical select-name", "serious color-contrast", "critical aria-required-children"}


def test_a_foreign_request_and_a_complaint_are_seen(tab):
    tab.open(f"{tab.base}/plan")
    tab.run("{ const image = new Image(); image.src = 'http://127.0.0.2:9/x.png'; console.error('broken'); }")
    tab.wait("true")
    assert any("broken" in each for each in tab.complaints)
    assert any("Content Security Policy" in each for each in tab.complaints)  # it is not even sent


def test_the_result_follows_every_change_and_the_focus_stays(tab):
    tab.open(f"{tab.base}/neighbors")
    loads, before = len(tab.loaded), tab.run("document.querySelector('.facts dd').textContent")
    tab.run("document.getElementById('f-epsilon').focus(); document.getElementById('f-epsilon').select()")
    tab.press("2", 50, "2")
    tab.wait(f"document.querySelector('.facts dd').textContent !== {before!r}")
    assert tab.run("document.activeElement.id") == "f-epsilon" and len(tab.loaded) == loads
    assert "ε = 2" in tab.run("document.getElementById('heard').textContent")
    assert "epsilon=2" in tab.run("location.search")
    set_field(tab, "f-n", "99", "input")
    tab.wait("document.querySelector('#result [role=alert]') !== null")
    assert tab.run("document.getElementById('f-n').getAttribute('aria-invalid')") == "true"
    assert tab.complaints == []


def test_a_slider_moves_with_the_arrow_keys(tab):
    tab.open(f"{tab.base}/neighbors")
    tab.run("document.querySelector('[data-for=f-epsilon]').focus()")
    tab.press("ArrowRight", 39)
    tab.wait("document.getElementById('f-epsilon').value === '1.5'")
    tab.wait("document.querySelector('.facts dd').textContent.includes('1.5')")


def test_a_class_is_drawn_with_the_mouse_and_with_keys(tab):
    tab.open(f"{tab.base}/classes")
    loads, text = len(tab.loaded), "document.getElementById('f-table').value.split('\\n')"
    tab.run("document.getElementById('cell-0-0').click()")
    tab.wait(f"{text}[0] === '1000'")
    tab.run("document.getElementById('cell-0-0').focus()")
    tab.press("ArrowRight", 39)
    tab.press("ArrowDown", 40)
    assert tab.run("document.activeElement.id") == "cell-1-1"
    tab.press(" ", 32, " ")
    tab.wait(f"{text}[1] === '1100'")
    tab.wait("document.activeElement.getAttribute('aria-label') === 'c2 on x2: 1'")  # the focus stays
    assert tab.run("document.querySelectorAll('[data-grid] button[tabindex=\"0\"]').length") == 1
    assert "draw" not in tab.run("location.search") and len(tab.loaded) == loads and tab.complaints == []


@pytest.mark.slow
def test_another_class_brings_its_own_fields(tab):
    tab.open(f"{tab.base}/plan")
    set_field(tab, "f-class", "half-planes", "change")
    tab.wait("document.getElementById('f-side') !== null")
    assert tab.run("document.getElementById('f-low')") is None
    tab.wait("document.activeElement.id === 'f-class'")


@pytest.mark.slow
def test_a_class_is_filled_in_from_a_file_drawn_and_learned(tab, seat):
    before = spent_at(seat)
    tab.open(f"{tab.base}/learn?{urlencode(EXPLICIT)}")
    loads, text = len(tab.loaded), "document.getElementById('f-matrix').value"
    tab.run(
        """{ const input = document.getElementById('l-matrix'), given = new DataTransfer();
        given.items.add(new File(['A,B\\n0,0\\n1,0\\n'], 'mine.csv'));
        input.files = given.files; input.dispatchEvent(new Event('change', {bubbles: true})); }"""
    )
    tab.wait("document.querySelectorAll('[data-grid] tbody tr').length === 2")
    tab.run("document.getElementById('cell-0-1').click()")
    tab.wait(f"{text} === 'A,B\\n0,1\\n1,0'")
    tab.wait("document.getElementById('cell-0-1').textContent === '1'")
    assert findings(tab) == [] and len(tab.loaded) == loads
    tab.run("document.querySelector('form[method=post] button').click()")
    tab.wait("location.pathname === '/learn/released' && document.querySelector('.released') !== null")
    assert "late = 1 if carrier = " in tab.run("document.querySelector('.released').textContent")
    assert spent_at(seat).epsilon - before.epsilon == Budget("0.5").epsilon and tab.complaints == []


@pytest.mark.slow
def test_a_keyboard_is_enough_to_spend_and_a_double_click_and_back_charge_once(tab, seat):
    before = spent_at(seat)
    tab.open(f"{tab.base}/learn?{urlencode(ASKED)}")
    tab.press("Tab", 9)
    assert tab.run("document.activeElement.className") == "skip"
    for _ in range(60):
        if tab.run("document.activeElement.closest('form[method=post]') !== null"):
            break
        tab.press("Tab", 9)
    tab.press("Enter", 13, "\r")
    tab.wait("location.pathname === '/learn/released' && document.querySelector('.released') !== null")
    once = spent_at(seat)
    assert once.epsilon - before.epsilon == Budget("0.5").epsilon
    released = tab.run("location.href")
    for _ in range(2):
        tab.open(f"{tab.base}/learn?{urlencode(ASKED)}")
        assert "released before" in tab.run("document.body.textContent")
    other = ASKED | {"epsilon": "0.25"}
    tab.open(f"{tab.base}/learn?{urlencode(other)}")
    tab.run("{ const b = document.querySelector('form[method=post] button'); b.click(); b.click(); }")
    tab.wait("location.pathname === '/learn/released' && document.querySelector('.released') !== null")
    tab.run("history.back()")
    tab.wait("location.pathname === '/learn'")
    tab.wait("document.querySelector('form[method=post] button') !== null")
    tab.run("{ const b = document.querySelector('form[method=post] button'); b.disabled = false; b.click(); }")
    tab.wait("location.pathname === '/learn/released' || document.querySelector('[name=anew]') !== null")
    assert spent_at(seat).epsilon - once.epsilon == Budget("0.25").epsilon
    for width, dark in ((390, False), (1200, True)):
        tab.look(width, dark=dark)
        tab.open(released)
        assert tab.run("document.documentElement.scrollWidth") <= width
        assert findings(tab) == [] and tab.complaints == []
    tab.open(released.replace("/released", "/report.html"))
    assert tab.run("getComputedStyle(document.querySelector('.facts')).display") == "grid"  # its style is applied
    assert tab.complaints == []


@pytest.mark.slow
@pytest.mark.parametrize(("page", "asked"), [("/summarize", SUMMARY), ("/papers", PAPER)])
def test_a_double_click_charges_once_and_the_answer_fits_every_screen(tab, seat, page, asked):
    before = spent_at(seat)
    tab.open(f"{tab.base}{page}?{urlencode(asked)}")
    tab.run("{ const b = document.querySelector('form[method=post] button'); b.click(); b.click(); }")
    tab.wait(f"location.pathname === '{page}/released' && document.querySelector('.released') !== null")
    assert spent_at(seat).epsilon - before.epsilon == Budget("0.5").epsilon
    fits(tab, tab.run("location.pathname + location.search"))
    tab.look(1200)
    tab.open(f"{tab.base}{page}?{urlencode(asked)}")
    assert "released before" in tab.run("document.body.textContent")
    assert spent_at(seat).epsilon - before.epsilon == Budget("0.5").epsilon and tab.complaints == []


@pytest.mark.slow
def test_another_algorithm_brings_the_classes_that_it_learns(tab):
    tab.open(f"{tab.base}/papers")
    tab.run("document.querySelector('a[href*=proper-points]').click()")
    tab.wait("document.getElementById('f-size') !== null && document.readyState === 'complete'")
    assert tab.run("document.querySelector('#result .facts') !== null")
    set_field(tab, "f-algorithm", "switching", "change")
    tab.wait("document.getElementById('f-direction')?.value === 'below'")
    tab.wait("document.activeElement.id === 'f-algorithm'")
    assert tab.complaints == []


class Elsewhere(BaseHTTPRequestHandler):
    """A page at another port of this machine, to which browsers give the cookie; it sends a form to the explorer."""

    page = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.page)

    def log_message(self, *_) -> None:
        """Nothing."""


@pytest.mark.slow
def test_a_page_elsewhere_cannot_spend_even_with_cookie_and_tokens(tab, seat):
    tab.open(f"{tab.base}/learn?{urlencode(ASKED | {'epsilon': '0.125'})}")
    whole = tab.run("document.querySelector('form[action*=spend]').outerHTML")  # a page elsewhere cannot know it
    assert "form_token" in whole
    Elsewhere.page = whole.replace('action="', f'action="{tab.base}').encode()
    # a browser opens a second connection ahead of time, and a server without threads waits a minute for its request
    server, before = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere), spent_at(seat)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        tab.open(f"http://127.0.0.1:{server.server_port}/")
        tab.run("document.querySelector('form').submit()")
        tab.wait("location.pathname === '/learn/spend' && document.body.textContent.includes('another site')")
    finally:
        server.shutdown()
        server.server_close()
    assert spent_at(seat) == before
    tab.requests.clear()


@pytest.mark.slow
def test_an_upload_is_chosen_and_previewed(tab):
    tab.open(f"{tab.base}/learn?{urlencode(ASKED)}")
    tab.run(
        """{ const input = document.getElementById('upload'), given = new DataTransfer();
        given.items.add(new File(['dep_delay,late\\n' + '5,0\\n50,1\\n'.repeat(321)], 'mine.csv'));
        input.files = given.files; input.dispatchEvent(new Event('change', {bubbles: true})); }"""
    )
    tab.wait("document.getElementById('upload-status').textContent.includes('is in memory')")
    tab.wait("document.getElementById('result').textContent.includes('642')")
    assert tab.complaints == []


SLOWLY = """{ const real = window.fetch;
    window.fetch = (to, sent) => to === "/upload"
      ? new Promise((done) => { window.arrive = () => done(real(to, sent)); }) : real(to, sent); }"""
CHOSEN = """{ const input = document.getElementById('upload'), given = new DataTransfer();
    given.items.add(new File([%s], '%s'));
    input.files = given.files; input.dispatchEvent(new Event('change', {bubbles: true})); }"""


@pytest.mark.slow
def test_a_file_that_is_still_being_sent_is_not_forgotten(tab):
    tab.open(f"{tab.base}/learn?{urlencode(ASKED)}")
    tab.run(SLOWLY)
    tab.run(CHOSEN % ("'dep_delay,late\\n' + '5,0\\n50,1\\n'.repeat(222)", "slow.csv"))
    spends = "[...document.querySelectorAll('#result form button')]"
    assert tab.run(f"{spends}.length > 0 && {spends}.every((each) => each.disabled)")  # they are about another table
    tab.run("document.querySelector('#asked > button').click()")
    set_field(tab, "f-class", "intervals", "change")
    assert "3,000" in tab.run("document.getElementById('result').textContent")  # neither is sent yet
    tab.run("window.arrive()")
    tab.wait("location.search.includes('source=u') && location.search.includes('class=intervals')")
    tab.wait("document.getElementById('result')?.textContent.includes('444')")
    assert tab.complaints == []


@pytest.mark.slow
def test_a_file_that_was_refused_is_told_and_the_form_works_on(tab):
    tab.open(f"{tab.base}/learn?{urlencode(ASKED)}")
    tab.run(SLOWLY)
    tab.run(CHOSEN % ("'x,x\\n1,2\\n'", "twice.csv"))
    set_field(tab, "f-class", "intervals", "change")
    tab.run("window.arrive()")
    tab.wait("location.search.includes('class=intervals')")
    told = "(document.getElementById('upload-status')?.textContent ?? '')"
    tab.wait(f"{told}.includes('has the same name in columns 1 and 2') && {told}.includes('still names the table')")
    tab.wait("document.getElementById('result').textContent.includes('3,000')")
    tab.complaints.clear()  # the browser notes that the upload was refused


def test_a_release_says_that_it_is_at_work(tab):
    tab.open(f"{tab.base}/release?{urlencode(COUNTS | {'epsilon': '0.3'})}")
    tab.run(
        """{ const form = document.querySelector('#result form');
        form.addEventListener('submit', (event) => event.preventDefault()); form.querySelector('button').click(); }"""
    )
    tab.wait("document.querySelector('#result form progress') !== null")
    assert "Releasing, for 0 s. A large table" in tab.run("document.querySelector('.working').textContent")
    assert findings(tab) == [] and tab.run("document.querySelector('#result form button').disabled")


def test_a_large_upload_is_refused_before_it_is_sent(tab):
    tab.open(f"{tab.base}/learn")
    tab.run(
        """{ const input = document.getElementById('upload'), given = new DataTransfer();
        given.items.add(new File([new Uint8Array(24e6)], 'large.csv'));
        input.files = given.files; input.dispatchEvent(new Event('change', {bubbles: true})); }"""
    )
    tab.wait("document.getElementById('upload-status').textContent.includes('larger than 20 MB')")


CURVE = {
    **{"source": "t1", "what": "curve", "x": "dep_delay", "low": "0", "high": "120", "y": "late", "classes": "0, 1"},
    **{"epsilon": "1", "account": "clinic"},
}


@pytest.mark.slow
def test_a_slider_over_the_cuts_shows_both_error_rates_after_one_charge(tab, seat):
    before = spent_at(seat)
    tab.open(f"{tab.base}/release?{urlencode(CURVE)}")
    tab.run("document.querySelector('form[method=post] button').click()")
    tab.wait("location.pathname === '/release/released' && document.querySelector('.cuts') !== null")
    released, once = tab.run("location.href"), spent_at(seat)
    assert once.epsilon - before.epsilon == Budget(1).epsilon
    said = "['rule', 'tpr', 'fpr', 'error'].map((name) => document.getElementById('cut-' + name).textContent)"
    where = "['cx', 'cy'].map((name) => Number(document.getElementById('cut-dot').getAttribute(name)))"
    tab.wait("document.getElementById('cut-rule').textContent !== ''")
    first, dot, asked = tab.run(said), tab.run(where), len(tab.requests)
    assert first[0].startswith("dep_delay ≥ ") and all("%" in each and "–" in each for each in first[1:])
    set_field(tab, "cut", "10", "input")
    assert tab.run(said)[0] == "dep_delay ≥ 10" and tab.run(where) != dot
    tab.run("document.getElementById('cut').focus()")
    tab.press("ArrowRight", 39)
    tab.wait(f"{said}[0] === 'dep_delay ≥ 11'")
    set_field(tab, "cut-weight", "1", "input")
    tab.run("document.getElementById('cut-best').click()")
    assert tab.run(said) == first  # the fewest errors, where it started
    assert len(tab.requests) == asked and spent_at(seat) == once  # nothing was asked of the server
    for width, dark in LOOKS:
        tab.look(width, dark=dark)
        tab.open(released)
        assert tab.run("document.documentElement.scrollWidth") <= width
        assert findings(tab) == [] and tab.complaints == []
