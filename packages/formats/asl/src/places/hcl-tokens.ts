/** A word of the language of Terraform. A `heredoc` spans its lines, without the markers. */
export interface HclToken {
  readonly kind: 'word' | 'number' | 'text' | 'heredoc' | 'sign';
  readonly start: number;
  readonly end: number;
  /** The lines of a heredoc lose the indentation that they share. */
  readonly isIndented?: true;
}

/** Reads the words of a file of Terraform. It is total: an unclosed word ends with the text. */
export function* hclTokens(text: string, from = 0): Generator<HclToken> {
  const token =
    /(?<space>\s+|#[^\n]*|\/\/[^\n]*)|(?<comment>\/\*)|<<(?<indented>-)?(?<heredoc>\w+)[ \t]*\r?\n|(?<word>[A-Za-z_][\w.-]*)|(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<text>")|[^]/y;
  token.lastIndex = from;
  let found = token.exec(text);
  while (found) {
    const { space, comment, indented, heredoc, word, number, text: quote } = found.groups ?? {};
    const start = found.index;
    let end = token.lastIndex;
    if (comment !== undefined) {
      const close = text.indexOf('*/', end);
      end = close < 0 ? text.length : close + 2;
    } else if (heredoc !== undefined) {
      const close = heredocEnd(text, end, heredoc);
      yield { kind: 'heredoc', start: end, end: close, ...(indented && { isIndented: true }) };
      end = lineEnd(text, close);
    } else if (quote !== undefined) {
      end = templateEnd(text, end, 'text');
      yield { kind: 'text', start, end };
    } else if (space === undefined) {
      yield { kind: word ? 'word' : number ? 'number' : 'sign', start, end };
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

/**
 * The end of a string in quotes, or of the expression of `${…}`: after the character that closes it. Strings may have
 * expressions, and expressions strings. An unclosed string ends with its line.
 *
 * @param start after the character that opens it
 */
export function templateEnd(text: string, start: number, kind: 'text' | 'expression'): number {
  const open = [kind];
  for (let offset = start; offset < text.length; offset += 1) {
    const character = text[offset];
    const isOpening = text[offset + 1] === '{' && (character === '$' || character === '%');
    if (open.at(-1) === 'text') {
      if (character === '\\') offset += 1;
      else if (character === '\n') return offset;
      else if (isOpening && text[offset - 1] !== character) open.push('expression');
      else if (character === '"') open.pop();
      // The brace itself is part of what opens an expression.
      if (isOpening) offset += 1;
    } else if (character === '{') open.push('expression');
    else if (character === '"') open.push('text');
    else if (character === '}') open.pop();
    if (open.length === 0) return offset + 1;
  }
  return text.length;
}
