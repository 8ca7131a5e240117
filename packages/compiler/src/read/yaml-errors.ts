import { type Findings, maxFindingsOfAKind, ReadingStoppedError } from './findings.ts';
import type { Positions, Span } from './positions.ts';
import { notJsonValue, quote, syntax } from './problems.ts';

/** A problem of a line's indentation, and the beginning of the line. */
interface IndentationProblem {
  readonly span: Span;
  readonly message: string;
  readonly hint: string;
}

/** A line as written, the offset at which it begins, and its number from 1. */
interface Line {
  readonly text: string;
  readonly start: number;
  readonly number: number;
}

/**
 * Finds the line whose wrong indentation caused an error of the YAML parser. The parser reports where it cannot continue,
 * which is often a line too late or too early.
 */
class Indentation {
  readonly #lines: readonly Line[];
  readonly #positions: Positions;

  constructor(text: string, positions: Positions) {
    let start = 0;
    this.#lines = text.split('\n').map((line, index) => {
      const placed = { text: line.replace(/\r$/, ''), start, number: index + 1 };
      start += line.length + 1;
      return placed;
    });
    this.#positions = positions;
  }

  /** The first line that is indented with a tab, up to the line after an error. */
  tabBefore(offset: number): IndentationProblem | undefined {
    const last = this.#positions.position(offset).line + 1;
    const tabbed = this.#lines.filter(({ text }) => /^ *\t\s*\S/.test(text));
    const [first, ...others] = tabbed;
    if (!first || first.number > last) return undefined;
    const also = others.slice(0, 5).map(({ number }) => number);
    const rest = others.length > also.length ? ', …' : '';
    return {
      span: { start: first.start, end: first.start + /^\s*/.exec(first.text)![0].length },
      message: 'This line is indented with a tab.',
      hint: `Indent with spaces${also.length > 0 ? `, here and in ${also.length === 1 ? 'line' : 'lines'} ${also.join(', ')}${rest}` : ''}.`,
    };
  }

  /** The next line, when it is indented like a part of the value on this line. */
  deeperThanKey(offset: number): IndentationProblem | undefined {
    const line = this.#lineAt(offset);
    const next = line && this.#following(line);
    if (!next || !isEntry(next.text)) return undefined;
    const column = keyColumn(line.text);
    if (indentOf(next.text) <= column) return undefined;
    return this.#misplaced(next, line);
  }

  /** An earlier line with a quote that is not closed on that line. */
  unclosedBefore(offset: number): IndentationProblem | undefined {
    const last = this.#positions.position(offset).line;
    for (const { text, start } of this.#lines.slice(0, last)) {
      const found = /^(\s*(?:-\s+)*(?:[^\s#"'][^#"']*?:\s+)?)(["'])(.*)$/.exec(text);
      if (!found) continue;
      const [, before, mark, rest] = found;
      const isClosed =
        mark === '"' ? /^(?:[^"\\]|\\.)*"/.test(rest!) : /^(?:[^']|'')*'/.test(rest!);
      if (isClosed) continue;
      return {
        span: { start: start + before!.length, end: start + text.length },
        message: 'This text in quotes is not closed.',
        hint: `Write ${mark} where the text ends.`,
      };
    }
    return undefined;
  }

  /** A line that lacks a colon after its key, or a space after the colon. */
  withoutColon(offset: number): IndentationProblem | undefined {
    const line = this.#lineAt(offset);
    const found = line && /^(\s*(?:-\s+)*)([\p{L}_][\p{L}\p{N}_-]*)(:?)(.*)$/u.exec(line.text);
    if (!found || isEntry(line.text)) return undefined;
    const [, before, key, colon, rest] = found;
    const value = rest!.trim();
    return {
      span: { start: line.start + before!.length, end: line.start + line.text.trimEnd().length },
      message: colon
        ? `There is no space after the colon of "${key}".`
        : `There is no colon after "${key}".`,
      hint:
        value.length > 60
          ? `Write "${key}: " and then the value.`
          : `Write "${key}:${value ? ` ${value}` : ''}"; if it continues the text above, indent it deeper.`,
    };
  }

  /** A line whose column is not one of the columns above it. */
  notAligned(offset: number): IndentationProblem | undefined {
    const line = this.#lineAt(offset);
    const above = line && this.#preceding(line);
    return line && above && isEntry(line.text) ? this.#misplaced(line, above) : undefined;
  }

  #misplaced(line: Line, above: Line): IndentationProblem {
    const start = line.start + indentOf(line.text);
    const span = { start, end: line.start + line.text.trimEnd().length };
    const column = indentOf(line.text) + 1;
    if (isItem(line.text)) {
      const sibling = this.#itemAbove(line);
      return {
        span,
        message: `This list item begins in column ${column}, and no list above it does.`,
        hint: sibling
          ? `Begin it in column ${indentOf(sibling.text) + 1}, like the item in line ${sibling.number}.`
          : 'Begin it in the same column as the other items of its list.',
      };
    }
    const key = this.#keyAbove(line) ?? above;
    return {
      span,
      message: `This line begins in column ${column}, not in the column of the keys above it.`,
      hint: `Begin it in column ${keyColumn(key.text) + 1}, like the key in line ${key.number}.`,
    };
  }

  #lineAt(offset: number): Line | undefined {
    return this.#lines[this.#positions.position(offset).line - 1];
  }

  #following({ number }: Line): Line | undefined {
    return this.#lines.slice(number).find(hasContent);
  }

  #preceding({ number }: Line): Line | undefined {
    return this.#lines.slice(0, number - 1).findLast(hasContent);
  }

  #itemAbove(line: Line): Line | undefined {
    return this.#nearestAbove(line, isItem, indentOf);
  }

  #keyAbove(line: Line): Line | undefined {
    return this.#nearestAbove(line, isEntry, keyColumn);
  }

  /** The line above with the nearest column; the last one if there are several. */
  #nearestAbove(
    { number, text }: Line,
    isMeant: (text: string) => boolean,
    columnOf: (text: string) => number,
  ): Line | undefined {
    const lines = this.#lines.slice(Math.max(0, number - 1 - linesAbove), number - 1).toReversed();
    const distance = (one: Line) => Math.abs(columnOf(one.text) - indentOf(text));
    return lines
      .filter((one) => isMeant(one.text))
      .toSorted((one, other) => distance(one) - distance(other))[0];
  }
}

/** The number of lines above to search for a line to align with. */
const linesAbove = 200;

function hasContent({ text }: Line): boolean {
  return /^\s*[^\s#]/.test(text);
}

function isItem(text: string): boolean {
  return /^\s*-(?:\s|$)/.test(text);
}

/** Whether a line begins with a key or a list item. */
function isEntry(text: string): boolean {
  return isItem(text) || /^\s*(?:"[^"]*"|'[^']*'|[^\s#"'[\]{},][^#]*?)\s*:(?:\s|$)/.test(text);
}

function indentOf(text: string): number {
  return /^\s*/.exec(text)![0].length;
}

/** The column, from 0, of the first key of a line, after any `- `. */
function keyColumn(text: string): number {
  return /^\s*(?:-\s+)*/.exec(text)![0].length;
}

/** Where the library places an error: an offset, a range, or a token. */
export type ErrorSource =
  | number
  | readonly number[]
  | { readonly offset: number; readonly source?: string };

interface YamlError extends Wording {
  readonly code: string;
  readonly span: Span;
}

interface Wording {
  readonly message: string;
  readonly hint: string;
  /**
   * The likely cause. `nested` and `misaligned`: the indentation of a line; `key`: a colon; `quote`: an earlier line. After
   * a `local` error the parser still understands the text. After any other error, or when absent, it lost the structure.
   */
  readonly kind?: 'nested' | 'misaligned' | 'key' | 'quote' | 'local';
}

/**
 * Collects the errors of the YAML parser. Keeps one error a line, because the others follow from it. Errors are reported only
 * after the whole text is parsed, because a later one may explain more.
 *
 * After an error in the structure (indentation, brackets, quotes or colons) the parser misunderstands the rest of the text. So
 * that error is the last one, and findings after it are dropped.
 */
export class YamlErrors {
  private readonly byLine = new Map<number, YamlError>();
  private readonly text: string;
  private readonly positions: Positions;
  private readonly findings: Findings;
  private readonly allowsFunctions: boolean;

  /** @param allowsFunctions whether tags of CloudFormation are allowed */
  constructor(text: string, positions: Positions, findings: Findings, allowsFunctions: boolean) {
    this.text = text;
    this.positions = positions;
    this.findings = findings;
    this.allowsFunctions = allowsFunctions;
  }

  /** Throws `ReadingStoppedError` when there are enough errors. */
  add(source: ErrorSource, code: string, message: string, isWarning = false): void {
    const span = this.spanOf(source);
    if (code === 'TAG_RESOLVE_FAILED' || code === 'BAD_COLLECTION_TYPE') {
      const tag = this.text.slice(span.start, span.end);
      if (this.allowsFunctions && functionOfTag(tag) !== undefined) return;
      this.findings.add(
        notJsonValue(`The tag ${quote(tag)} does not fit a value of JSON.`, 'Delete the tag.'),
        span,
      );
    }
    // One function in the tag of another. Templates have this, although each tag needs a value of its own.
    else if (code === 'MULTIPLE_TAGS' && this.allowsFunctions) return;
    // Warnings are about legal but unusual YAML, which does not matter in a definition.
    else if (!isWarning) this.addSyntax(span, code, message);
  }

  report(): void {
    const errors = [...this.byLine.values()].toSorted((a, b) => a.span.start - b.span.start);
    const broken = errors.find(({ kind }) => kind !== 'local');
    const last = broken && this.located(broken);
    const end = last && Math.min(last.span.start, broken.span.start);
    if (end !== undefined) this.findings.dropBehind(end);
    for (const { span, message, hint } of errors)
      if (end === undefined || span.start < end) this.findings.add(syntax(message, hint), span);
    if (last) this.findings.add(syntax(last.message, last.hint), last.span);
    this.byLine.clear();
  }

  /** Moves an error of the structure to the line that caused it, if it can be found. */
  private located(error: YamlError): IndentationProblem {
    const indentation = new Indentation(this.text, this.positions);
    const { start } = error.span;
    const tab = indentation.tabBefore(start);
    if (tab) return tab;
    if (error.kind === 'nested') return indentation.deeperThanKey(start) ?? error;
    if (error.kind === 'quote') return indentation.unclosedBefore(start) ?? error;
    if (error.kind === 'key')
      return indentation.withoutColon(start) ?? indentation.notAligned(start) ?? error;
    return error.kind === 'misaligned' ? (indentation.notAligned(start) ?? error) : error;
  }

  private addSyntax(span: Span, code: string, message: string): void {
    const { line } = this.positions.position(span.start);
    const earlier = this.byLine.get(line);
    if (earlier && !vague.has(earlier.code)) return;
    if (!earlier && this.byLine.size === maxFindingsOfAKind) throw new ReadingStoppedError();
    this.byLine.set(line, {
      code,
      span,
      ...describe(code, message, this.text.slice(span.start, span.end)),
    });
  }

  private spanOf(source: ErrorSource): Span {
    const [start = 0, end = start + 1] =
      typeof source === 'number'
        ? [source]
        : 'offset' in source
          ? [source.offset, source.offset + (source.source?.length ?? 1)]
          : source;
    return { start, end: Math.max(start, end) };
  }
}

/** Codes that say little when another error is in the same line. */
const vague: ReadonlySet<string> = new Set(['MULTILINE_IMPLICIT_KEY']);

/** The library has one code for several mistakes; where the advice differs, its message tells them apart. */
function describe(code: string, original: string, token: string): Wording {
  const byMessage = wordingsByMessage.find(([pattern]) => pattern.test(original));
  const wording = byMessage?.[1] ?? wordingsByCode[code] ?? unexpected;
  return typeof wording === 'function' ? wording(token) : wording;
}

function unexpected(token: string): Wording {
  const shown = token.trim() === '' ? 'Something' : quote(token);
  if (token.includes("'"))
    return {
      message: `${shown} follows the closing quote.`,
      hint: "Inside of single quotes, write '' for an apostrophe.",
    };
  return {
    message: `${shown} is not allowed here.`,
    hint: 'Put a text with special characters in quotes; check that each line is indented like its neighbours.',
  };
}

const wordingsByMessage: readonly (readonly [RegExp, Wording | typeof unexpected])[] = [
  [
    /closing ["']quote/,
    {
      message: 'A text in quotes is not closed before this.',
      hint: 'Write the quote where the text ends.',
      kind: 'quote',
    },
  ],
  [
    /^Flow sequence .*end with a \]/,
    {
      message: 'A list in brackets is not closed before this.',
      hint: 'Write ] where the list ends.',
    },
  ],
  [
    /^Flow map .*end with a \}/,
    {
      message: 'An object in braces is not closed before this.',
      hint: 'Write } where the object ends.',
    },
  ],
  [
    /followed by map values/,
    {
      message: 'There is no colon after this key.',
      hint: 'Write a colon and a space after it; if it continues the text above, indent it deeper.',
      kind: 'key',
    },
  ],
  [
    /^Missing , (?:or : )?between/,
    {
      message: 'There is no comma between these two items.',
      hint: 'Write a comma before this one.',
    },
  ],
  [
    /^Missing space after :/,
    {
      message: 'There is no space after this colon.',
      hint: 'Write a space after it.',
      kind: 'local',
    },
  ],
  [
    /^Unexpected , in|^Unexpected empty item/,
    {
      message: 'There is nothing before this comma.',
      hint: 'Delete the comma, or write what is missing.',
    },
  ],
  [
    /^Comments must be separated/,
    {
      message: 'There is no space before this comment.',
      hint: 'Write a space before the #, or put the text in quotes if # belongs to it.',
      kind: 'local',
    },
  ],
  [
    /directives-end/,
    {
      message: 'The lines that begin with % are not followed by a line ---.',
      hint: 'Write --- in a line of its own before the definition.',
    },
  ],
  [
    /block-seq-ind on same line with key|Nested mappings are not allowed/,
    {
      message: 'This value has a key or list item of its own where only a text can stand.',
      hint: 'Begin what belongs to the key in the next line, indented deeper; put a text with ": " in quotes.',
      kind: 'nested',
    },
  ],
  [
    /^Sequence item without -|sequence items must start/,
    {
      message: 'This does not begin in the same column as the items of the list above.',
      hint: 'Indent it like its neighbours, with "- " before each item.',
      kind: 'misaligned',
    },
  ],
  [
    /^Block scalar header/,
    {
      message: 'There is a text after the sign for a text of many lines.',
      hint: 'Begin the text in the next line, indented deeper.',
    },
  ],
  [
    /^Unexpected flow-(?:seq|map)-end/,
    (token) => ({
      message: `There is nothing open that this ${quote(token)} could close.`,
      hint: 'Delete it, or put it in quotes if it is part of a text.',
    }),
  ],
  [
    /^Tags and anchors must be separated|same line with|newline after block sequence props/,
    {
      message: 'There is no space or new line after this.',
      hint: 'Write what follows after a space or in a new line.',
      kind: 'local',
    },
  ],
];

const wordingsByCode: { readonly [code: string]: Wording | typeof unexpected | undefined } = {
  ALIAS_PROPS: {
    message: 'An alias cannot have an anchor or a tag.',
    hint: 'Delete what stands before the alias.',
    kind: 'local',
  },
  BAD_ALIAS: {
    message: 'An anchor or alias has no name.',
    hint: 'Write a name after the & or *, or put the text in quotes.',
    kind: 'local',
  },
  BAD_DIRECTIVE: {
    message: 'This is not a directive that YAML has.',
    hint: 'Delete the line; if it is part of a text, put the text in quotes.',
    kind: 'local',
  },
  BAD_DQ_ESCAPE: {
    message: 'This is not an escape that YAML has.',
    hint: 'Write \\\\ for a backslash, or put the text in single quotes.',
    kind: 'local',
  },
  BAD_INDENT: {
    message: 'This line is not indented like its neighbours.',
    hint: 'Begin the keys of one object, and the lines of one text, in the same column.',
    kind: 'misaligned',
  },
  BAD_PROP_ORDER: {
    message: 'An anchor or tag stands before the sign of a list or key.',
    hint: 'Write it after that sign.',
    kind: 'local',
  },
  BAD_SCALAR_START: (token) => ({
    message: `A text cannot begin with ${quote(token)}.`,
    hint: 'Put the text in quotes.',
    kind: 'local',
  }),
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'A list or object cannot be a key.',
    hint: 'Write the key as a text in one line.',
    kind: 'misaligned',
  },
  BLOCK_IN_FLOW: {
    message: 'Something in brackets or braces is written as if it stood outside of them.',
    hint: 'Write a comma between the items, and the whole in brackets or braces.',
  },
  KEY_OVER_1024_CHARS: {
    message: 'This key is longer than 1,024 characters.',
    hint: 'Write a shorter one; if it is a text with a colon, put it in quotes.',
    kind: 'local',
  },
  MULTILINE_IMPLICIT_KEY: {
    message: 'This key goes over more than one line.',
    hint: 'Write the key in one line; check that the line above has its colon, and that both are indented alike.',
    kind: 'key',
  },
  MULTIPLE_ANCHORS: {
    message: 'This has two anchors.',
    hint: 'Delete one of them.',
    kind: 'local',
  },
  MULTIPLE_TAGS: { message: 'This has two tags.', hint: 'Delete one of them.', kind: 'local' },
  TAB_AS_INDENT: { message: 'This line is indented with a tab.', hint: 'Indent it with spaces.' },
};

/**
 * The function that a tag of CloudFormation means: `!Sub` is `Fn::Sub`, `!Ref` is `Ref`. Other tools have tags of the same form,
 * so every tag with one `!` and a word counts.
 */
export function functionOfTag(tag: string | undefined): string | undefined {
  const name = tag === undefined ? undefined : /^!([A-Za-z]\w*)$/.exec(tag)?.[1];
  if (name === undefined) return undefined;
  return name === 'Ref' || name === 'Condition' ? name : `Fn::${name}`;
}
