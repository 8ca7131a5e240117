/**
 * The offsets at which the characters of a text are written in a JSON or YAML file. A diagnostic inside such a text then
 * points at the file.
 *
 * @param file the whole file
 * @param span where the scalar is written, with its quotes or the header of its block
 * @param text the text as read
 * @returns an offset for each character, and the one behind the last
 */
export function scalarOffsets(
  file: string,
  { start, end }: { readonly start: number; readonly end: number },
  text: string,
): Int32Array {
  const offsets = new Int32Array(text.length + 1);
  const quote = file[start] === '"' || file[start] === "'" ? file[start] : undefined;
  let at = quote === undefined ? behindHeader(file, start, end) : start + 1;
  let index = 0;
  while (index < text.length && at < end) {
    const length = quote === '"' && file[at] === '\\' ? escapeLength(file, at) : 0;
    if (length < 0) {
      // A backslash at the end of a line continues the text: it stands for nothing.
      at += -length;
    } else if (length > 0) {
      offsets[index] = at;
      // Eight hexadecimal digits may be two units.
      if (length > 6 && isLowSurrogate(text, index + 1)) offsets[++index] = at;
      at += length;
      index += 1;
    } else if (file[at] === text[index] || (isBlank(file[at]) && isBlank(text[index]))) {
      offsets[index] = at;
      at += quote === "'" && file[at] === "'" ? 2 : 1;
      index += 1;
    } else if (isBlank(text[index]) && !isBlank(file[at])) {
      // A folded line has fewer blanks in the file than in the text when empty lines count.
      offsets[index] = at;
      index += 1;
    } else {
      at += 1;
    }
  }
  offsets.fill(Math.min(at, end), index);
  return offsets;
}

/** The first line of a block has its header: `|-`, and may have a comment. */
function behindHeader(file: string, start: number, end: number): number {
  if (file[start] !== '|' && file[start] !== '>') return start;
  const line = file.indexOf('\n', start);
  return line < 0 || line >= end ? end : line + 1;
}

/** The length of an escape; negative for one that stands for nothing. */
function escapeLength(file: string, at: number): number {
  const kind = file[at + 1];
  if (kind === 'u') return 6;
  if (kind === 'x') return 4;
  if (kind === 'U') return 10;
  if (kind === '\n') return -2;
  return kind === '\r' ? -3 : 2;
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc_00 && code <= 0xdf_ff;
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r';
}
