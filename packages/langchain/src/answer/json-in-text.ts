/** The maximum length of an answer, in UTF-16 units. */
const lengthMax = 200_000;

/** The first JSON object in a model's text, which may contain other words; undefined when there is none. */
export function jsonInText(text: string): unknown {
  if (text.length > lengthMax) return undefined;
  // Tries each opening brace with its closing brace: earlier braces may belong to prose.
  for (let start = text.indexOf('{'), tries = 0; start >= 0 && tries < 20; tries += 1) {
    const end = endOfObject(text, start);
    const found = end === undefined ? undefined : parsed(text.slice(start, end));
    if (found !== undefined) return found;
    start = text.indexOf('{', start + 1);
  }
  return undefined;
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let index = start; index < text.length; index += 1) {
    const sign = text[index];
    if (isInString) {
      if (sign === '\\') index += 1;
      else if (sign === '"') isInString = false;
    } else if (sign === '"') isInString = true;
    else if (sign === '{') depth += 1;
    else if (sign === '}') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}
