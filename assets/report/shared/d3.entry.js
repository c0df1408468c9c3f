// What the report takes from d3; README.md has the command that bundles it into d3.js.
export { extent, max, min } from "d3-array";
export { format, formatPrefix, precisionFixed, precisionPrefix } from "d3-format";
export { scaleLinear } from "d3-scale";
