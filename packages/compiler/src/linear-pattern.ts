import { takeWork } from './link/work.ts';

/**
 * A regular expression from a definition, as `pattern` of JSON Schema: in the syntax of JavaScript with the flag `u`, and found
 * anywhere in a string. Search time is at most proportional to the string and to `size`, so no string can hang the process
 * (ReDoS). Lookarounds and back references are not supported, because they cannot be searched for in that time.
 */
export class LinearPattern {
  readonly #program: Instruction[] = [];
  readonly #tree: Node;
  /** Equal classes of characters, which repetitions have, are one. */
  readonly #classes: RegExp[] = [];
  readonly #sources: string[] = [];
  readonly #rows = new Map<string, Uint8Array>();

  /** @throws Error with a sentence about the pattern */
  constructor(source: string) {
    // JavaScript checks the syntax, so the parser need not.
    this.#tree = new Parser(new RegExp(source, 'u').source).pattern();
    this.#add(this.#tree);
  }

  /** @returns undefined when the current step may do no more work */
  test(text: string): boolean | undefined {
    const characters = Array.from(text);
    const reachedAt = new Int32Array(this.#program.length + 1).fill(-1);
    const waiting: number[] = [];
    for (let at = 0; at <= characters.length; at += 1) {
      waiting.push(0);
      const reached = this.#closure(waiting, reachedAt, characters, at);
      if (reachedAt[this.#program.length] === at) return true;
      const next = characters[at];
      if (next === undefined) break;
      if (!takeWork(reached.length * unitsPerPart)) return undefined;
      const row = this.#rowOf(next);
      for (const index of reached) {
        const { reads } = this.#program[index]!;
        if (reads === undefined) continue;
        row[reads] ||= this.#classes[reads]!.test(next) ? 1 : 2;
        if (row[reads] === 1) waiting.push(index + 1);
      }
    }
    return false;
  }

  /** A string that probably matches: the first choice everywhere, and as few repetitions as possible. */
  get sample(): string {
    return sampleOf(this.#tree);
  }

  /** The instructions that can be reached without reading a character. @param reachedAt where each was last reached */
  #closure(
    from: number[],
    reachedAt: Int32Array,
    characters: readonly string[],
    at: number,
  ): number[] {
    const reached: number[] = [];
    while (from.length > 0) {
      const index = from.pop()!;
      if (reachedAt[index] === at) continue;
      reachedAt[index] = at;
      reached.push(index);
      const instruction = this.#program[index];
      if (instruction?.leads) for (const lead of instruction.leads) from.push(lead);
      else if (instruction?.holds?.(characters, at)) from.push(index + 1);
    }
    return reached;
  }

  /** For each class of characters: 0 if it is not known whether the character belongs to it, 1 for yes, 2 for no. */
  #rowOf(one: string): Uint8Array {
    const known = this.#rows.get(one);
    if (known) return known;
    if (this.#rows.size === rowsMax) this.#rows.clear();
    const row = new Uint8Array(this.#classes.length);
    this.#rows.set(one, row);
    return row;
  }

  #add(node: Node): void {
    if (this.#program.length > sizeMax) throw new Error(`It has more than ${sizeMax} parts.`);
    switch (node.kind) {
      case 'character':
        this.#program.push({ reads: this.#classOf(node) });
        return;
      case 'assertion':
        this.#program.push({ holds: node.holds });
        return;
      case 'sequence':
        for (const part of node.parts) this.#add(part);
        return;
      case 'choice':
        this.#addChoice(node.parts);
        return;
      case 'repetition':
        this.#addRepetition(node);
    }
  }

  #classOf({ source, matches }: Extract<Node, { readonly kind: 'character' }>): number {
    const known = this.#sources.indexOf(source);
    if (known !== -1) return known;
    this.#classes.push(matches);
    return this.#sources.push(source) - 1;
  }

  #addChoice(parts: readonly Node[]): void {
    const ends = parts.map((part, index): number[] => {
      const leads = [this.#program.length + 1];
      if (index < parts.length - 1) this.#program.push({ leads });
      this.#add(part);
      const end: number[] = [];
      this.#program.push({ leads: end });
      leads.push(this.#program.length);
      return end;
    });
    for (const end of ends) end.push(this.#program.length);
  }

  #addRepetition({ part, least, most }: Extract<Node, { readonly kind: 'repetition' }>): void {
    for (let count = 0; count < least; count += 1) {
      const size = this.#program.length;
      this.#add(part);
      // Nested repetitions of nothing would take years.
      if (this.#program.length === size) break;
    }
    const exits: number[][] = [];
    const times = most === Infinity ? 1 : most - least;
    for (let count = 0; count < times; count += 1) {
      const start = this.#program.length;
      const leads = [start + 1];
      this.#program.push({ leads });
      exits.push(leads);
      this.#add(part);
      if (most === Infinity) this.#program.push({ leads: [start] });
    }
    for (const leads of exits) leads.push(this.#program.length);
  }
}

/** The most instructions of a program: each step of a search may look at all of them. */
const sizeMax = 500;

/** So the searches of a step of a host may reach three million instructions: less than 0.1 s. */
const unitsPerPart = 10;
/** The most characters whose classes are kept: about 0.5 MB. */
const rowsMax = 1_000;

/** Reads a character, checks the place, or leads to other instructions. */
interface Instruction {
  /** The index of a class of characters. */
  readonly reads?: number;
  readonly holds?: Assertion;
  readonly leads?: readonly number[];
}

type Assertion = (characters: readonly string[], at: number) => boolean;

type Node =
  | { readonly kind: 'character'; readonly matches: RegExp; readonly source: string }
  | { readonly kind: 'assertion'; readonly holds: Assertion }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | {
      readonly kind: 'repetition';
      readonly part: Node;
      readonly least: number;
      readonly most: number;
    };

/** A class, an escape or a plain character, matched by JavaScript: one character takes constant time. */
function character(source: string): Node {
  return { kind: 'character', matches: new RegExp(`^(?:${source})$`, 'u'), source };
}

const isWord = (one: string | undefined) => one !== undefined && /^\w$/.test(one);
const isBetween: Assertion = (characters, at) =>
  isWord(characters[at - 1]) !== isWord(characters[at]);

const assertions: Readonly<Record<string, Assertion>> = {
  '^': (_, at) => at === 0,
  $: (characters, at) => at === characters.length,
  '\\b': isBetween,
  '\\B': (characters, at) => !isBetween(characters, at),
};

const escape = /\\(?:u\{[^}]*\}|u[\dA-Fa-f]{4}(?:\\u[\dA-Fa-f]{4})?|x..|c.|[pP]\{[^}]*\}|.)/suy;
const set = /\[(?:\\.|[^\]\\])*\]/suy;
const group = /\((?:\?(?::|<[^=!>][^>]*>))?/uy;
const quantifier = /(?:[*+?]|\{(\d+)(,(\d*))?\})\??/uy;

/** Reads a pattern whose syntax JavaScript has checked. */
class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  pattern(): Node {
    const parts = [this.#sequence()];
    while (this.#source[this.#at] === '|') {
      this.#at += 1;
      parts.push(this.#sequence());
    }
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!))
      parts.push(this.#repeated(this.#atom()));
    return { kind: 'sequence', parts };
  }

  #repeated(part: Node): Node {
    const found = this.#take(quantifier);
    if (!found) return part;
    const [text, count, isRange, last] = found;
    const least = count === undefined ? (text.startsWith('+') ? 1 : 0) : Number(count);
    const most = text.startsWith('?')
      ? 1
      : count === undefined || (isRange && last === '')
        ? Infinity
        : Number(last ?? count);
    if (Math.max(least, most === Infinity ? 0 : most) > sizeMax)
      throw new Error(`It repeats a part more than ${sizeMax} times.`);
    return { kind: 'repetition', part, least, most };
  }

  #atom(): Node {
    const rest = this.#source.slice(this.#at, this.#at + 3);
    if (/^\(\?(?:[=!]|<[=!])/u.test(this.#source.slice(this.#at, this.#at + 4)))
      throw new Error('Lookarounds such as (?=…) are not supported.');
    if (/^\(\?[a-z-]/u.test(rest)) throw new Error('Flags within a pattern are not supported.');
    if (/^\\[1-9k]/u.test(rest)) throw new Error('References to groups are not supported.');
    if (this.#take(group)) {
      const inner = this.pattern();
      this.#at += 1;
      return inner;
    }
    const [source] = this.#take(escape) ?? this.#take(set) ?? this.#take(/./suy)!;
    return Object.hasOwn(assertions, source)
      ? { kind: 'assertion', holds: assertions[source]! }
      : character(source);
  }

  #take(what: RegExp): RegExpExecArray | undefined {
    what.lastIndex = this.#at;
    const found = what.exec(this.#source) ?? undefined;
    if (found) this.#at += found[0].length;
    return found;
  }
}

const common = Array.from({ length: 95 }, (_, index) => String.fromCharCode(126 - index));
const usual = ['1', 'a', 'A', ...common];

function sampleOf(node: Node): string {
  switch (node.kind) {
    case 'character':
      return usual.find((one) => node.matches.test(one)) ?? '';
    case 'sequence':
      return node.parts.map(sampleOf).join('');
    case 'choice':
      return sampleOf(node.parts[0]!);
    case 'repetition':
      return sampleOf(node.part).repeat(node.least);
    case 'assertion':
      return '';
  }
}
