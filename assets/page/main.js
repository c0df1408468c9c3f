// Every picture of the page is mounted here: `mount` is called once for each gr.HTML made by
// qa_demo/views/picture.py.

import "./shared/focus.js";
import { updateBench } from "./bench/panel.js";
import { updateAsked } from "./shared/asked.js";
import { updateCases } from "./cases/panel.js";
import { updateChapter } from "./shared/chapter.js";
import { updateChapters } from "./shared/chapters.js";
import { updateExamples } from "./shared/examples.js";
import { updateGuess } from "./shared/guess.js";
import { updateFoot, updateHeader } from "./shared/header.js";
import { updateLessons } from "./lessons/strip.js";
import { answered } from "./shared/outbox.js";
import { updateReaders } from "./shared/readers.js";
import { updateSaved } from "./shared/save_file.js";
import { heard, knockBy } from "./shared/silence.js";
import { updateSay } from "./shared/say.js";
import { updateVerdict } from "./shared/verdict.js";
import { arrive, keep, refused, say, state } from "./shared/store.js";
import { sheets } from "./shared/style.js";

await sheets();
await Promise.allSettled(
  ["1em 'Spanlight Sans'", "1em 'Spanlight Serif'"].map((face) => document.fonts.load(face)),
);

const kinds = {
  store(_, data) {
    if (!data.stamp) return;
    document.body.classList.add("ready");
    arrive(data);
  },
  chosen(_, data, trigger) {
    state.send = trigger;
    if (data.stamp) keep(data);
  },
  heard(_, data, trigger) {
    knockBy(trigger);
    if (!data.n) return;
    answered(data.id);
    if (data.refused) refused();
    else say("worked", data.id);
  },
  given(_, data) {
    if (data.n) say("given", data);
  },
  asked: updateAsked,
  examples: updateExamples,
  readers: updateReaders,
  cases: updateCases,
  say: updateSay,
  chapters: updateChapters,
  header: updateHeader,
  foot: updateFoot,
  guess: updateGuess,
  bench: updateBench,
  lessons: updateLessons,
  saved: updateSaved,
  verdict: updateVerdict,
  chapter: updateChapter,
};

/** Draw a picture's value into its element now and whenever Python sends another. */
export function mount(element, props, trigger, watch) {
  const root = element.querySelector(".mount");
  // JSON text on the running page, an object in a saved file
  const value = () => typeof props.value === "string" ? JSON.parse(props.value) : props.value ?? {};
  const update = (sent) => kinds[props.kind](root, sent, trigger);
  watch("value", () => {
    const sent = value();
    heard(sent.slow === true || sent.kind === "busy");
    update(sent);
  });
  update(value());
}
