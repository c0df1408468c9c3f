// Every picture of the page is mounted here: `mount` is called once for each gr.HTML made by
// qa_demo/views/picture.py.

import "./shared/focus.js";
import { mountBench } from "./bench/panel.js";
import { mountAsked } from "./shared/asked.js";
import { mountCases } from "./cases/panel.js";
import { mountChapter } from "./shared/chapter.js";
import { mountChapters } from "./shared/chapters.js";
import { mountExamples } from "./shared/examples.js";
import { mountGuess } from "./shared/guess.js";
import { mountFoot, mountHeader } from "./shared/header.js";
import { mountLessons } from "./lessons/strip.js";
import { answered } from "./shared/outbox.js";
import { mountReaders } from "./shared/readers.js";
import { mountSaved } from "./shared/save_file.js";
import { heard, knockBy } from "./shared/silence.js";
import { mountSay } from "./shared/say.js";
import { mountVerdict } from "./shared/verdict.js";
import { arrive, keep, refused, say, state } from "./shared/store.js";
import { sheets } from "./shared/style.js";

await sheets();
await Promise.allSettled(
  ["1em 'Spanlight Sans'", "1em 'Spanlight Serif'"].map((face) => document.fonts.load(face)),
);

const kinds = {
  store: {
    update(_, data) {
      if (!data.stamp) return;
      document.body.classList.add("ready");
      arrive(data);
    },
  },
  chosen: {
    update(_, data, { trigger }) {
      state.send = trigger;
      if (data.stamp) keep(data);
    },
  },
  heard: {
    update(_, data, { trigger }) {
      knockBy(trigger);
      if (!data.n) return;
      answered(data.id);
      if (data.refused) refused();
      else say("worked", data.id);
    },
  },
  given: {
    update(_, data) {
      if (data.n) say("given", data);
    },
  },
  asked: mountAsked(),
  examples: mountExamples(),
  readers: mountReaders(),
  cases: mountCases(),
  say: mountSay(),
  chapters: mountChapters(),
  header: mountHeader(),
  foot: mountFoot(),
  guess: mountGuess(),
  bench: mountBench(),
  lessons: mountLessons(),
  saved: mountSaved(),
  verdict: mountVerdict(),
  chapter: mountChapter(),
};

/** Draw a picture's value into its element now and whenever Python sends another. */
export function mount(element, props, trigger, watch) {
  const kind = kinds[props.kind];
  const root = element.querySelector(".mount");
  const context = { trigger, element };
  // JSON text on the running page, an object in a saved file
  const value = () => typeof props.value === "string" ? JSON.parse(props.value) : props.value ?? {};
  const update = (sent) => kind.update(root, sent, context);
  watch("value", () => {
    const sent = value();
    heard(sent.slow === true || sent.kind === "busy");
    update(sent);
  });
  update(value());
}
