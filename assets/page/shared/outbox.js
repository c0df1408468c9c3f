// One message to Python at a time: each handler answers with a whole screen, so two that run
// together would lose one of their changes. Of each kind the newest waits and goes out when the one
// on its way has been answered; what is sent last therefore always wins.

import { wait } from "./silence.js";
import { acts } from "./touch.js";

const PATIENCE = 15_000;
const QUICK = 300;
const waiting = new Map();
/** By the number of a message: how often anything had been used when it was sent for. */
const since = [];
let flying = null;
let count = 0;

/**
 * Send an event through a picture's trigger, at once or when its turn comes; a waiting one of the
 * same kind is replaced.
 * @param {string} kind
 * @param {(event: string, data: any) => void} trigger
 * @param {string} event
 * @param {any} data
 */
export function post(kind, trigger, event, data) {
  waiting.delete(kind);
  waiting.set(kind, { trigger, event, data, at: acts() });
  if (!flying) next();
}

function next() {
  const [kind, message] = waiting.entries().next().value ?? [];
  if (!message) return;
  waiting.delete(kind);
  count += 1;
  const id = count;
  since[id] = message.at;
  wait();
  // a lost connection answers nothing
  flying = { id, kind, timer: setTimeout(() => answered(id), PATIENCE) };
  message.trigger(message.event, { ...message.data, id });
}

/**
 * Python is busy: what stays out now is the long work itself, and others need not wait for its end.
 */
export function slow() {
  const id = flying?.id;
  setTimeout(() => answered(id), QUICK);
}

/**
 * Python has answered message `id`.
 * @param {number} id
 */
export function answered(id) {
  if (!flying || id !== flying.id) return;
  clearTimeout(flying.timer);
  flying = null;
  next();
}

/**
 * How often anything had been used when message `id` was sent for; what has no number is as new as
 * can be.
 * @param {number | null} id
 */
export const sentAt = (id) => since[id ?? 0] ?? Infinity;

/**
 * Whether a message of this kind waits or is on its way.
 * @param {string} kind
 */
export const underWay = (kind) => flying?.kind === kind || waiting.has(kind);
