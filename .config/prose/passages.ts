import { parseSync, Visitor } from 'oxc-parser';

/** A piece of prose in a file. Its text is as long as the source, so that offsets stay valid. */
export interface Passage {
  readonly text: string;
  /** Offset of the text in the file. */
  readonly offset: number;
}

/** Comments of a TypeScript file; with `strings`, also its strings of four words or more, such as messages. */
export function passagesOfCode(file: string, source: string, strings: boolean): Passage[] {
  const { comments, program } = parseSync(file, source);
  const passages = comments.map(({ type, value, start }) => ({
    text: type === 'Block' ? value.replace(/^[ \t]*\*/gm, blank) : value,
    offset: start + 2,
  }));
  const found = joined(passages, source);
  if (!strings) return found;
  const add = (text: string, offset: number) => {
    if (text.trim().split(/\s+/).length >= 4) found.push({ text, offset });
  };
  new Visitor({
    Literal: ({ value, start }) => {
      if (typeof value === 'string') add(value, start + 1);
    },
    TemplateLiteral: ({ quasis, start }) => {
      // An embedded value counts as a word. The range of a quasi begins with its delimiter.
      let text = '';
      for (const { start: from, value } of quasis) {
        text += '#'.repeat(from - start - text.length) + value.raw;
      }
      add(text, start + 1);
    },
    JSXText: ({ value, start }) => add(value, start),
  }).visit(program);
  return found;
}

/** Paragraphs of a Markdown page, without code. Cells of a table are sentences of their own. */
export function passagesOfPage(source: string): Passage[] {
  const text = source
    .replace(/^(`{3,})[^]*?^\1/gm, blank)
    .replace(/^(?: {4}|\t).*$/gm, blank)
    .replace(/`[^`\n]*`/g, (code) => '#'.repeat(code.length))
    .replace(/\|/g, ';');
  return [...text.matchAll(/[^\n](?:[^\n]|\n(?!\s*\n))*/g)].map((match) => ({
    text: match[0],
    offset: match.index,
  }));
}

/** Joins line comments that follow each other into one passage. */
function joined(passages: readonly Passage[], source: string): Passage[] {
  const result: Passage[] = [];
  for (const passage of passages) {
    const last = result.at(-1);
    const gap = last && source.slice(last.offset + last.text.length, passage.offset);
    if (last && gap !== undefined && /^\r?\n[ \t]*\/\/$/.test(gap)) {
      result[result.length - 1] = {
        text: last.text + blank(gap) + passage.text,
        offset: last.offset,
      };
    } else result.push(passage);
  }
  return result;
}

/** Replaces every character with a space, except line breaks. */
function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
