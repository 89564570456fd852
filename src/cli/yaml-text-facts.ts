// How a text may be written in YAML, by the rules of libyaml's emitter and of go-yaml's reader, which knows more words than it writes.

import { plainYamlScalar } from "../api/yaml-scalar.ts";

export interface YamlTextFacts {
  /** Without quotes it would be read as this text, and not as a number or a date. */
  readonly isItself: boolean;
  readonly hasLines: boolean;
  /** Characters that can only be written as escapes. */
  readonly hasSpecial: boolean;
  readonly canBePlain: boolean;
  readonly canBeSingleQuoted: boolean;
  readonly canBeBlock: boolean;
}

/** A tab is special here, and so is everything beyond the first plane: emoji. */
const SPECIAL = /[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
/** What means something to YAML where it stands. */
const INDICATOR = /^(?:[#,[\]{}&*!|>'"%@`]|[?:](?=\s|$)|-(?=\s|$)|---|\.\.\.)|:(?=\s|$)|(?<=\s)#/;

export function analyzeYamlText(text: string): YamlTextFacts {
  const hasLines = text.includes("\n");
  const hasSpecial = SPECIAL.test(text);
  const spaceBeforeBreak = / \n/.test(text);
  const canBeQuoted = !spaceBeforeBreak && !hasSpecial;
  const hasEdge = /^[ \n]|[ \n]$/.test(text);
  return {
    isItself: isItself(text),
    hasLines,
    hasSpecial,
    canBePlain: canBeQuoted && !hasEdge && !hasLines && !INDICATOR.test(text),
    canBeSingleQuoted: canBeQuoted && !/\n /.test(text),
    canBeBlock: canBeQuoted && !text.endsWith(" "),
  };
}

const BASE_60 = /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/;
const DATE =
  /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?)?$/;

function isItself(text: string): boolean {
  if (BASE_60.test(text) || DATE.test(text)) return false;
  try {
    return typeof plainYamlScalar(text, "") === "string";
  } catch {
    return false; // Infinity and such, which JSON does not have.
  }
}
