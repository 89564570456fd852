// Colour on a terminal, and nowhere else.

import { styleText } from "node:util";

type Paint = (text: string) => string;

const paint =
  (style: Parameters<typeof styleText>[0]): Paint =>
  (text) =>
    process.stdout.isTTY ? styleText(style, text) : text;

export const bold: Paint = paint("bold");
export const dim: Paint = paint("dim");
export const green: Paint = paint("green");
export const red: Paint = paint("red");
