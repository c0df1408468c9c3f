"""A lesson by keyboard, and a room of two pages over a restart of its server."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import ready, word

pytestmark = pytest.mark.browser


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    settled(page)


def settled(page: Page) -> None:
    ready(page)
    page.wait_for_function("document.querySelector('.lesson').dataset.busy !== 'true'")


def heading(page: Page):
    return page.locator(".lesson h2")


def test_a_lesson_by_keyboard_hears_why_and_survives_a_reload(open_page):
    page = open_page({"example": "gold"})
    press(page, "Lessons")
    press(page, "By hand")
    opener = page.get_by_role("button", name="Lessons", exact=True)
    opener.press("Enter")
    expect(page.locator("[data-block=answer]").first).to_contain_text("Answer")  # covered no more
    press(page, "Lessons")
    expect(heading(page)).to_be_focused()
    page.get_by_role("button", name="By hand").press("Enter")
    expect(heading(page)).to_have_text("Mark it")
    settled(page)
    heard, act = page.locator("[aria-live]"), page.locator(".act")
    expect(act).to_be_disabled()
    expect(page.locator("[data-block=answer]").first).not_to_contain_text("Answer")
    word(page, "Georg").press("Enter")  # by keyboard the focus then is on the black button
    expect(act).to_be_focused()
    page.reload()
    settled(page)
    expect(page.locator(".hint")).to_have_text("Your words are underlined.")
    act.press("Enter")
    expect(page.locator(".no")).to_have_text("No: it does not start there.")
    expect(heard.filter(has_text="No: it does not start there.")).to_have_count(1)
    expect(page.locator("[data-block=finding]")).to_have_count(0)
    word(page, "Öresund").click()
    expect(page.locator(".no")).to_have_count(0)  # the verdict was on the older guess
    act.press("Enter")
    expect(page.locator(".yes")).to_be_visible()
    expect(act).to_have_text("Reveal")
    act.press("Enter")
    expect(page.locator(".reveal")).to_have_text("It is “Öresund”.")
    expect(heard.filter(has_text="It is “Öresund”.")).to_have_count(1)
    expect(page.locator("[data-block=finding]")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 420})  # lower than the panel and the picture
    for y in (0, 9999):
        page.evaluate("(y) => scrollTo(0, y)", y)
        expect(act).to_be_in_viewport(ratio=1)
    page.reload()
    settled(page)
    expect(page.locator(".reveal")).to_have_text("It is “Öresund”.")
    press(page, "Next")
    expect(heading(page)).to_have_text("Half")
    press(page, "Back")
    expect(page.locator(".hint")).to_have_text("Nothing is marked yet.")
    page.go_back()
    expect(heading(page)).to_have_text("Half")
    page.go_back()
    expect(page.locator(".reveal")).to_have_text("It is “Öresund”.")
    page.go_forward()
    expect(heading(page)).to_have_text("Half")
    settled(page)
    box = page.get_by_label("Your number")
    for typed, said in (("2", "No: that is two"), ("0,55", "is too high"), ("½", "Yes: 0.50")):
        box.fill(typed)
        box.press("Enter")
        expect(page.locator(".spoken")).to_contain_text(said)
    press(page, "Reveal")
    press(page, "Next")
    b, held = page.get_by_role("button", name="The letter <b>b</b>"), []
    page.route("**/lesson", lambda at: held.append(at), times=1)
    for button in (b, act, page.locator(".option[aria-pressed=false]").first):
        button.click()
    held[0].continue_()  # what it says is of the older guess
    settled(page)
    b.click()
    assert page.locator(".option b").count() == 0
    expect(page.locator(".spoken")).to_be_empty()  # a slip of the mouse shows nothing
    press(page, "Commit")
    press(page, "Reveal")
    expect(page.locator(".option.right:disabled")).to_contain_text("right")
    press(page, "Next")
    press(page, "Next")  # from a lesson's only step to the list
    expect(heading(page)).to_have_text("Lessons")
    page.route("**/lesson", lambda at: held.append(at), times=1)
    page.get_by_role("button", name="By hand").click()
    opener.click()
    with page.expect_response("**/lesson"):
        held[1].continue_()
    page.evaluate("new Promise(requestAnimationFrame)")
    expect(page.locator(".lesson")).to_be_hidden()


HURRY = "const set = setTimeout; globalThis.setTimeout = (act, ms) => set(act, ms / 10);"
"""A room asks every two seconds."""


def cut(route: Route) -> None:
    """A connection that ends."""
    route.abort("connectionreset")


def test_a_room_of_two_pages_over_a_restart(open_page, server):
    how = {"refused": True, "script": HURRY}
    teacher = open_page({"example": "gold"}, **how, width=1920, height=1080)
    press(teacher, "Present")
    press(teacher, "Lessons")
    teacher.get_by_role("button", name="Open a room").dblclick()
    code = teacher.locator(".room .code").first.inner_text()
    assert teacher.locator(".invite img").get_attribute("src").startswith("data:image/svg+xml")
    expect(teacher.locator(".invite")).to_contain_text("http://school.example:7860/")
    key = teacher.evaluate("JSON.parse(sessionStorage['spanlight.room']).key")
    assert key not in teacher.content() and key not in teacher.url
    student = open_page(query=f"?room={code.lower()}", **how, width=390, height=844)
    press(student, "By hand")
    word(student, "Georg").click()
    press(student, "Commit")  # alone, before the class
    fast = "((f) => AbortSignal.timeout = (ms) => f(ms / 5))(AbortSignal.timeout.bind(AbortSignal))"
    student.evaluate(fast)
    student.route("**/room?code=*", lambda route: None, times=1)  # one reply never comes
    with student.expect_request("**/room?code=*"):
        teacher.get_by_role("button", name="By hand").click()
    expect(student.locator(".spoken")).to_contain_text("Counted: “Georg”")
    press(student, "Leave")
    student.goto(f"{server.url}?room={code}")  # who comes again is the same page
    student.get_by_role("button", name="Lessons", exact=True).dblclick()  # closed, and open again
    word(student, "Georg").click()
    press(student, "Commit")
    expect(student.locator(":is(.act, .ways)")).to_have_count(0)
    expect(teacher.locator(".room")).to_contain_text(re.compile(r"1 here, 1 guess(?!es)"))
    assert "Georg" not in teacher.locator(".lesson").inner_text()
    expect(heading(teacher)).to_be_focused()  # where the reading began, whoever guesses
    teacher.route("**/room", cut, times=1)
    teacher.get_by_role("tab", name="Start & end").click()
    expect(student.get_by_role("tab", selected=True)).to_have_text("Start & end")
    expect(word(student, "Georg")).to_have_attribute("aria-pressed", "true")
    held = []
    teacher.route("**/lesson", lambda route: held.append(route), times=1)
    with teacher.expect_request("**/lesson"):
        teacher.reload()
    for _ in range(2):  # until the teacher's step is there again the class stays at it
        student.wait_for_event("response", lambda reply: "/room?" in reply.url)
    held[0].continue_()
    settled(teacher)
    expect(student.locator(".spoken")).to_contain_text("Counted: “Georg”")
    server.kill()
    for page in (teacher, student):
        expect(page.locator(".room")).to_contain_text("does not answer; asking again")
    server.start()
    expect(teacher.locator(".room")).to_contain_text("must be opened again")
    expect(student.locator(".room")).to_contain_text("You can go on meanwhile")
    press(teacher, "Open it again")
    expect(teacher.locator(".room .code").first).to_have_text(code)
    expect(student.locator(".room")).to_contain_text("your teacher leads")
    expect(teacher.locator(".room")).to_contain_text("1 here, 1 guess")  # counted anew
    press(teacher, "Show the guesses")
    expect(teacher.get_by_role("button", name="Hide the guesses")).to_be_focused()
    expect(teacher.locator(".bars li")).to_have_text(["“Georg”1"])
    press(teacher, "Reveal")
    expect(teacher.locator(".bars li.right")).to_contain_text("“Öresund”")
    expect(student.locator(".no")).to_have_text("No: it does not start there.")
    expect(student.locator("[data-block=finding]")).to_be_visible()
    student.route("**/lesson", cut, times=1)
    press(teacher, "Next")
    expect(heading(student)).to_have_text("Half")
    teacher.get_by_role("button", name="Reveal").hover()
    teacher.mouse.down()  # a guess that comes now takes no press away
    press(student, "I don't know")
    expect(student.locator(".spoken")).to_contain_text("Counted")
    for _ in range(2):
        teacher.wait_for_event("response", lambda reply: "/room?" in reply.url)
    expect(student.locator(".reveal")).to_have_count(0)
    teacher.mouse.up()
    expect(student.locator(".bars")).to_contain_text("I don't know")
    expect(student.locator(".bars li.right")).to_contain_text("0.50")
    press(teacher, "Next")
    press(teacher, "Skip")
    expect(heading(student)).to_have_text("The end")
    press(teacher, "All lessons")
    expect(heading(student)).to_have_text("Lessons")
    press(teacher, "Close the room")
    expect(student.locator(".lesson")).to_contain_text("is closed")
