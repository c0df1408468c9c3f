// What many pictures draw alike: the path through points, and the ticks of an axis with their labels.

import { svg } from "./dom.js";
import { place } from "./numbers.js";

/**
 * The path through points in pixels.
 * @param {number[][]} points
 */
export const through = (points) => `M${points.map((at) => at.map(place).join(",")).join("L")}`;

/**
 * Ticks from left to right: a line of each from one height to another, its label at a third.
 * @param {{at: number, text: string}[]} ticks
 * @param {number} from
 * @param {number} to
 * @param {number} label
 */
export const along = (ticks, from, to, label) =>
  ticks.flatMap(({ at, text }) => [
    svg("line.rule", [at, from, at, to]),
    svg("text.quiet", [at, label, "middle"], text),
  ]);

/**
 * Ticks one above the other: a line of each from left to right, its label ending at a third place
 * and lowered by `drop` to stand in the line's middle.
 * @param {{at: number, text: string}[]} ticks
 * @param {number} from
 * @param {number} to
 * @param {number} label
 * @param {number} [drop]
 */
export const upwards = (ticks, from, to, label, drop = 4) =>
  ticks.flatMap(({ at, text }) => [
    svg("line.rule", [from, at, to, at]),
    svg("text.quiet", [label, at + drop, "end"], text),
  ]);
