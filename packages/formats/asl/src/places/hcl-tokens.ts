/** A word of the language of Terraform. A `heredoc` spans its lines, without the markers. */
export interface HclToken {
  readonly kind: 'word' | 'text' | 'heredoc' | 'sign';
  readonly start: number;
  readonly end: number;
}

/** Reads the words of a file of Terraform. It is total: what is not closed ends with the text. */
export function* hclTokens(text: string): Generator<HclToken> {
  const token =
    /(?<space>\s+|#[^\n]*|\/\/[^\n]*)|(?<comment>\/\*)|<<-?(?<heredoc>\w+)[ \t]*\r?\n|(?<word>[A-Za-z_][\w.-]*)|(?<text>")|[^]/y;
  let found = token.exec(text);
  while (found) {
    const { space, comment, heredoc, word, text: quote } = found.groups ?? {};
    const start = found.index;
    let end = token.lastIndex;
    if (comment !== undefined) {
      const close = text.indexOf('*/', end);
      end = close < 0 ? text.length : close + 2;
    } else if (heredoc !== undefined) {
      const close = heredocEnd(text, end, heredoc);
      yield { kind: 'heredoc', start: end, end: close };
      end = lineEnd(text, close);
    } else if (quote !== undefined) {
      end = textEnd(text, end);
      yield { kind: 'text', start, end };
    } else if (space === undefined) {
      yield { kind: word === undefined ? 'sign' : 'word', start, end };
    }
    token.lastIndex = end;
    found = token.exec(text);
  }
}

/** The beginning of the line that has only the marker. */
function heredocEnd(text: string, start: number, marker: string): number {
  let line = start;
  while (line < text.length) {
    const end = lineEnd(text, line);
    if (text.slice(line, end).trim() === marker) return line;
    line = end;
  }
  return text.length;
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end + 1;
}

/** The end of a text in quotes. Quotes within `${…}` belong to it. */
function textEnd(text: string, start: number): number {
  let depth = 0;
  for (let offset = start; offset < text.length; offset += 1) {
    const character = text[offset];
    if (character === '\\') offset += 1;
    else if (character === '\n' && depth === 0) return offset;
    else if (character === '$' && text[offset + 1] === '{') depth += 1;
    else if (character === '}' && depth > 0) depth -= 1;
    else if (character === '"' && depth === 0) return offset + 1;
  }
  return text.length;
}
